/** How much of collections there may be. The database holds the same limits. */

/** How many collections an account may have. */
export const collectionsMax = 1000

/** How many items a collection may have: as many as an answer of about 2 MiB can show briefly, whatever they are. */
export const itemsMax = 500

/** How many submissions may await the owner of a collection: apart from its items, so that strangers cannot fill it. */
export const submissionsMax = 100

/** Submissions of one account that await the owner, so that it cannot keep others from submitting. */
export const submissionsByOneMax = 20

/** Characters of the part of a slug that follows the id. */
export const slugLength = 100
