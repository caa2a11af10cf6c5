/** How much of collections there may be. The database holds the same limits. */

/** Collections of an account. */
export const collectionsMax = 1000

/** Items in a collection: as many as an answer of about 2 MiB can show briefly, whatever they are. */
export const itemsMax = 500

/** Submissions that await the owner of a collection: apart from its items, so that strangers cannot fill it. */
export const submissionsMax = 100

/** Those of them by one account, so that it cannot keep all others from submitting. */
export const submissionsByOneMax = 20

/** Characters of the part of a slug that follows the id. */
export const slugLength = 100
