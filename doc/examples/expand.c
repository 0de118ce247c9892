/* Follows a model step by step from its initial state, or from values given by name, and prints the steps of each state as
   JSON:

     cc expand.c -o expand $(pkg-config --cflags --libs libfloe)
     ./expand peterson.xml 3 turn=1 */
