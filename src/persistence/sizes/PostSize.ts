/** About how many bytes posts take in answers. */

// A link takes about as many bytes, with what is known of its page, and a reaction with its author.
const linkSize = 500
const reactSize = 1000

/** An array of about how many bytes the parts of a post take, in their order. A long text has its length beside it. */
export const postPartSizes = (post: string) => `array[octet_length(${post}.meta::text),
  ${reactSize} * ${post}.react_count, octet_length(${post}.body) + ${linkSize} * ${post}.link_count]`

/** About how many bytes a post takes in an answer. */
export const postSize = (
  post: string
) => `(1500 + octet_length(${post}.meta::text) + octet_length(${post}.body)
  + ${linkSize} * ${post}.link_count + ${reactSize} * ${post}.react_count)`

/** At least as many bytes as any post of a thread takes, with the tags of the thread; of the thread's row alone. */
export const mostOfThread = (thread: string) =>
  `(greatest(${thread}.opening_weight, ${thread}.reply_weight) + 200 * cardinality(${thread}.tag_ids))`
