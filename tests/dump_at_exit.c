/* Linked into programs that count their lines (make coverage) with --wrap=_exit: ranks of a job in
 * which one has died end by _exit(), and so do forked processes; without this, what they have
 * executed would not be counted. */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
__attribute__((visibility("hidden"))) _Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
