/* profile/command/profile_main.h - `rollbench profile` and `rollbench partners`. */
#ifndef PROFILE_COMMAND_PROFILE_MAIN_H
#define PROFILE_COMMAND_PROFILE_MAIN_H

/* Returns the exit status. argv[0] is the command's name. */
int profile_main(int argc, char **argv);
int partners_main(int argc, char **argv);

#endif
