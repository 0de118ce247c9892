#!/usr/bin/env python3
"""A client of floe explore: what the page asks for, and what it must refuse.

    client.py ADDRESS answers|attacks FLOE MODEL [NAME=VALUE]...
    client.py ADDRESS searches|expansions FLOE MODEL CONDITION:VERDICT:NUMBER...

`answers` compares the answers with `floe count` and `floe replay`. `attacks` sends requests of other pages, of programs
without the token, malformed and oversized ones, many at once, and ones that are never finished. `searches` searches for
conditions by the engines, and `expansions` by the interpreter; both compare the verdict and the number: of steps, or,
if the condition is not found, of states.
"""
import concurrent.futures
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile

failures = 0


def check(what, holds, detail=""):
    global failures
    if not holds:
        failures += 1
        print(f"failed: {what} {detail}")


class Server:
    def __init__(self, address):
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", address).groups()
        self.port = int(self.port)

    def raw(self, method, path, body=None, headers=None, host=None, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, "/" + (self.token if token is None else token) + path, skip_host=True)
            if host != "":
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            try:
                connection.endheaders(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the server answers before it has read a body that is too long
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def ask(self, path, request=None):
        body = None if request is None else json.dumps(request).encode()
        status, text, _ = self.raw("GET" if request is None else "POST", "/api/" + path, body,
                                   {} if request is None else {"Content-Type": "application/json"})
        return status, json.loads(text) if text else None

    def get(self, path, request=None):
        status, answer = self.ask(path, request)
        check(f"{path} {request}"[:100], status == 200, f"{status} {answer}")
        return answer


def explore_all(server, most):
    """All reachable states by api/state: their answers by id, in breadth-first order."""
    first = server.get("state", {})
    found, queue, transitions = {first["state"]: first}, [first], 0
    for state in queue:
        for step in state["steps"]:
            check("a step leads to a state or has a cause", (step["successor"] is None) == (step["fails"] is not None), step)
            if step["successor"] is None:
                continue
            transitions += 1
            if step["successor"] not in found and len(found) < most:
                found[step["successor"]] = server.get("state", {"state": step["successor"]})
                queue.append(found[step["successor"]])
    return found, transitions


def as_text(values):
    return {name: json.dumps(value) if type(value) is not str else value for name, value in values.items()}


def check_changes(found):
    for state in found.values():
        values = state["values"]
        for step in state["steps"]:
            if step["successor"] in found:
                target = found[step["successor"]]["values"]
                changed = {name: after for name, (_, after) in step["changes"].items()}
                check("changes lead to the target", {**values, **changed} == target, step["action"])
                check("changes have the values before", all(values[name] == before for name, (before, _) in step["changes"].items()))


def check_counts(server, floe, model, constants):
    counted = json.loads(subprocess.run([floe, "count", "--json", "--quiet", "--continue", *("-D" + c for c in constants), model],
                                        capture_output=True, text=True, check=True).stdout)
    found, transitions = explore_all(server, 10 ** 6)
    check("states", len(found) == counted["states"], f"{len(found)} {counted['states']}")
    check("transitions", transitions == counted["transitions"], f"{transitions} {counted['transitions']}")
    check("deadlocks", sum(s["deadlock"] for s in found.values()) == counted["deadlocks"])
    check_changes(found)
    return found


def check_path(server, path):
    check("states of a path", len(path["states"]) in (len(path["steps"]), len(path["steps"]) + 1))
    for i, step in enumerate(path["steps"]):
        state = server.get("state", {"state": path["states"][i]})
        check("step of a path", {**state["steps"][step["index"]], "index": step["index"]} == step, step["action"])
        check("target of a path", step["successor"] is None or step["successor"] == path["states"][i + 1])


def check_saved(server, floe, model, constants, path):
    saved = server.get("trace", {"states": path["states"], "indices": [s["index"] for s in path["steps"]]})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(saved, file)
        file.flush()
        done = subprocess.run([floe, "replay", *("-D" + c for c in constants), model, file.name], capture_output=True, text=True)
        check("floe replay takes the saved trace", done.returncode == 0, done.stdout[-300:] + done.stderr[-300:])
    check("the saved trace is read again", server.get("replay", {"trace": saved})["states"] == path["states"])


def wait_for_search(server):
    while True:
        state = server.get("search")
        if not state["running"]:
            return state


def depths_of(found):
    depths, queue = {next(iter(found)): 0}, [next(iter(found))]
    for id in queue:
        for step in found[id]["steps"]:
            if step["successor"] and step["successor"] not in depths:
                depths[step["successor"]] = depths[id] + 1
                queue.append(step["successor"])
    return depths


def check_searches(server, found):
    depths = depths_of(found)
    last = max(depths, key=depths.get)
    condition = server.get("state", {"state": last})["values"]
    name, value = next((n, v) for n, v in condition.items() if type(v) is int)
    text = f"{name} == {value}"
    nearest = min(d for id, d in depths.items() if found[id]["values"][name] == value)
    server.get("search", {"condition": text})
    state = wait_for_search(server)
    check("a condition is found", state["verdict"] == "found" and len(state["path"]["steps"]) == nearest, f"{text} {state}"[:300])
    check_path(server, state["path"])
    server.get("search", {"condition": f"{name} != {name}"})
    state = wait_for_search(server)
    check("an impossible condition is not found", state["verdict"] == "not found" and state["states"] == len(found), state)
    check("a wrong condition is an error", server.ask("search", {"condition": "no_such_name == 1"})[0] == 400)
    for property in server.get("model")["properties"]:
        server.get("search", {"property": property["id"]})
        state = wait_for_search(server)
        check("a property is searched", state["verdict"] in ("found", "not found"), f"{property} {state}"[:300])
        if state["path"]:
            check_path(server, state["path"])


def answers(server, floe, model, constants):
    page, script = server.raw("GET", "/"), server.raw("GET", "/app.js")
    check("the page", page[0] == 200 and page[2]["Content-Type"].startswith("text/html"), page[0])
    check("its script", script[0] == 200 and "javascript" in script[2]["Content-Type"], script[0])
    check("the policy", "default-src 'none'" in page[2]["Content-Security-Policy"])
    told = server.get("model")
    check("the source", told["source"] == open(model, encoding="utf-8").read())
    found = check_counts(server, floe, model, constants)
    first = next(iter(found.values()))
    check("the initial state", told["initial"] == first["state"] and list(told["variables"].items()) == list(first["values"].items()))
    other = found[list(found)[len(found) // 2]]
    check("processes", set(told["processes"]) == {p["name"] for s in found.values() for t in s["steps"] for p in t["participants"]})
    check("a state by its values", server.get("state", {"values": as_text(other["values"])})["state"] == other["state"])
    watched = server.get("state", {"watch": ["1 + 2 == 3", "no_such_name"]})["watches"]
    check("watches", watched[0]["value"] == "true" and watched[1]["error"], watched)
    for id in list(found)[:20]:
        blocked = server.get("blocked", {"state": id})
        check("blocked transitions have obstacles", all(b["obstacles"] or b["line"] is None for b in blocked["blocked"]))
    walk = server.get("random", {"steps": 30, "seed": 7})
    check("a walk again", walk == server.get("random", {"steps": 30, "seed": 7}))
    check_path(server, walk)
    check_saved(server, floe, model, constants, walk)
    stopped = server.get("random", {"steps": 30, "seed": 7, "until": ["true"]})
    check("a breakpoint", stopped["stopped"] == "breakpoint" and len(stopped["steps"]) == 1, stopped["stopped"])
    graph = server.get("graph", {"depth": 0})
    check("the graph", graph["complete"] == (len(found) <= 200) and len(graph["nodes"]) == min(200, len(found)))
    near = server.get("graph", {"state": first["state"], "depth": 1})
    check("the neighbourhood", {n["id"] for n in near["nodes"]} == {first["state"]} | {s["successor"] for s in first["steps"] if s["successor"]})
    check_searches(server, found)


def search(server, request):
    server.get("search", request)
    state = wait_for_search(server)
    if state["path"]:
        check_path(server, state["path"])
    return state


# From the initial state a search uses the engines of floe check, from another one the interpreter.
def searches(server, _floe, _model, cases, engines=True):
    for case in cases:
        condition, verdict, steps = case.rsplit(":", 2)
        state = search(server, {"condition": condition})
        found = str(len(state["path"]["steps"])) if state["path"] else str(state["states"])
        check(condition, (state["verdict"], found) == (verdict, steps) and bool(state["engine"]) == engines, state)
        if state["path"] and steps != "0":
            rest = search(server, {"condition": condition, "from": state["path"]["states"][-2]})
            check(condition + " from the last state but one", rest["verdict"] == "found" and len(rest["path"]["steps"]) == 1)
            check("the interpreter", rest["engine"] == "", rest["engine"])


def attacks(server, *_):
    ok = ("GET", "/api/model")
    own, json_type = f"127.0.0.1:{server.port}", {"Content-Type": "application/json"}
    check("a request", server.raw(*ok)[0] == 200)
    for what, expected, arguments in (
            ("no token", 403, dict(token="")), ("a wrong token", 403, dict(token="0" * 32)),
            ("a longer token", 403, dict(token=server.token + "0")), ("half a token", 403, dict(token=server.token[:16])),
            ("a foreign host", 403, dict(host="evil.example")), ("a host with another port", 403, dict(host="127.0.0.1:1")),
            ("no host", 400, dict(host="")), ("localhost", 200, dict(host=f"localhost:{server.port}")),
            ("a foreign origin", 403, dict(headers={"Origin": "http://evil.example"})),
            ("an origin null", 403, dict(headers={"Origin": "null"})),
            ("an origin by https", 403, dict(headers={"Origin": "https://" + own})),
            ("the own origin", 200, dict(headers={"Origin": "http://" + own}))):
        status = server.raw(*ok, **arguments)[0]
        check(what, status == expected, status)
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "XYZ"):
        check(method, server.raw(method, "/api/model")[0] in (400, 405, 501))
    for path in ("/..", "/../../etc/passwd", "/%2e%2e/x", "/api", "/api/", "/api/nothing", "/" + "x" * 5000, "//", "/api/model/"):
        check("path " + path[:20], server.raw("GET", path)[0] in (400, 403, 404, 414), server.raw("GET", path)[0])
    check("a form", server.raw("POST", "/api/state", b"state=1", {"Content-Type": "application/x-www-form-urlencoded"})[0] == 415)
    check("a text", server.raw("POST", "/api/state", b"{}", {"Content-Type": "text/plain"})[0] == 415)
    for body in (b"", b"{", b"[]", b"null", b'{"state":1}', b'{"state":"zz"}', b'{"state":"' + b"0" * 5000 + b'"}', b"\xff\xfe", b"\0" * 50,
                 b"[" * 100000, b'{"a":' * 3000 + b"1" + b"}" * 3000, b'{"values":{"no_such":"1"}}', b'{"state":"","state":""}'):
        status = server.raw("POST", "/api/state", body, json_type)[0]
        check(f"body {body[:30]}", status == 400, status)
    for path in ("blocked", "replay", "trace", "random", "graph", "search"):
        for body in (b'{"state":"zz","depth":1,"from":"zz"}', b'{"trace":[]}', b'{"steps":-1}', b'{"steps":1e300,"until":[1]}', b'{"states":[],"indices":[1]}'):
            check(f"{path} {body[:30]}", server.raw("POST", "/api/" + path, body, json_type)[0] in (200, 400))
    check("a long expression", server.raw("POST", "/api/random", json.dumps({"steps": 1, "until": ["1+" * 3000 + "1"]}).encode(), json_type)[0] == 400)
    check("a long body", server.raw("POST", "/api/state", b" " * (17 << 20), json_type)[0] == 413)
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        many = list(pool.map(lambda i: server.raw("POST", "/api/state", b"{}", json_type)[0], range(1000)))
    check("1,000 requests", many == [200] * 1000, set(many))
    for text in (b"GET / HT", b"\r\n\r\n\0\0", b"GET /" + b"x" * 200000, b"POST /%s/api/state HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 1000\r\n\r\n{" % (server.token.encode(), own.encode())):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                try:
                    connection.sendall(text)
                except OSError:
                    pass
    check("a request afterwards", server.raw(*ok)[0] == 200)


def main():
    address, what, floe, model, *constants = sys.argv[1:]
    {"answers": answers, "attacks": attacks, "searches": searches, "expansions": lambda *all: searches(*all, False)}[what](Server(address), floe, model, constants)
    print(f"{what} {os.path.basename(model)}: {failures} failed")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
