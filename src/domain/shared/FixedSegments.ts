/**
 * Words that stand in addresses of the API where the name of something could stand, by the parameter that takes the
 * name. What had such a name could not be reached by it. A test derives them from the API, so that the word of a new
 * path is missed here: whatever gives out the names that its parameter takes has to leave these out.
 */
export const fixedSegments = { account_handle: ["self"], node_slug: ["drafts"] } as const
