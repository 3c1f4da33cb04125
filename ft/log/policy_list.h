/* ft/log/policy_list.h - all policies, one line each, in the order in which they are listed;
 * POLICY(all) stands for the struct policy_ops policy_all, in any ft/log/policy*.c.
 * docs/add-a-policy.md shows how to add one. Included more than once, each time with another
 * POLICY(). */
POLICY(none)
POLICY(all)
POLICY(receiver)
POLICY(window)
POLICY(budget)
POLICY(teams)
POLICY(off)
