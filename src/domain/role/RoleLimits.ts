/** How much of roles there may be. The database holds the same limits. */

/** Custom roles of an instance. Every list has all of them, and profiles show those that their account holds. */
export const rolesMax = 200

/** Custom roles that one account holds: pages show them beside every name. */
export const heldMax = 32

/** Characters of a role's `meta` as JSON, for the same reason. */
export const metaMax = 2048
