/** The condition that a row of `collection_items` is in its collection, and no submission that awaits the owner. */
export const isInCollection = "(membership_type <> 'submission_review')"
