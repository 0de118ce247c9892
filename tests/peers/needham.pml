/* Twin of models/needham.xml: -DA=runs of the initiator (1 or 2) -DB=runs of the responder (1 or 2) -DFIXED=0 or 1.
   The intruder is a bit for each secret nonce and for each message that it cannot decrypt. */
bit open_i[A], open_r[B];  /* nonces that it knows */
bit msg1[A];               /* {initiator's nonce, initiator} for the responder */
bit msg2[4];               /* {initiator's nonce, responder's nonce} for the initiator: [2 * run + run] */
bit msg3[B];               /* {responder's nonce} for the responder */

/* Instances 0 to A-1 have these numbers as _pid, then come the responders. */
#define RUN (_pid - A)
#define FROM_RESPONDER(r) \
	:: d_step { msg2[2 * _pid + r] && (!with_intruder || !FIXED) -> seen = A + 1 + r; \
		if \
		:: with_intruder -> open_r[r] = 1 \
		:: else -> msg3[r] = 1 \
		fi } \
	:: d_step { open_i[_pid] && open_r[r] -> seen = A + 1 + r; \
		if \
		:: with_intruder \
		:: else -> msg3[r] = 1 \
		fi }

active [A] proctype initiator()
{
	bit with_intruder;
	byte seen;
	if
	:: msg1[_pid] = 1
	:: d_step { open_i[_pid] = 1; with_intruder = 1 }
	fi;
	if
	FROM_RESPONDER(0)
#if B > 1
	FROM_RESPONDER(1)
#endif
	:: open_i[_pid] /* the intruder's own nonce comes back */
	:: d_step { open_i[_pid] && open_i[0] -> seen = 1 }
#if A > 1
	:: d_step { open_i[_pid] && open_i[1] -> seen = 2 }
#endif
	fi;
	false
}

#define FROM_INITIATOR(i) \
	:: d_step { msg1[i] -> named = 1; seen = i + 1; msg2[2 * i + RUN] = 1 } \
	:: d_step { open_i[i] -> named = 1; seen = i + 1; msg2[2 * i + RUN] = 1 } \
	:: d_step { open_i[i] -> seen = i + 1; open_r[RUN] = 1 }
#define WITH_OLD(r) \
	:: d_step { open_r[r] -> named = 1; seen = A + 1 + r } \
	:: d_step { open_r[r] -> seen = A + 1 + r; open_r[RUN] = 1 }

active [B] proctype responder()
{
	bit named;
	byte seen;
	if
	FROM_INITIATOR(0)
#if A > 1
	FROM_INITIATOR(1)
#endif
	WITH_OLD(0)
#if B > 1
	WITH_OLD(1)
#endif
	:: named = 1
	:: open_r[RUN] = 1
	fi;
	msg3[RUN] || open_r[RUN];
	false
}
