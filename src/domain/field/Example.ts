import type { Schema } from "effect"

/**
 * Gives a schema an example, which the description of the API shows. The
 * example is written as it goes over the wire, and the compiler checks it.
 */
export const withExample =
  <S extends Schema.Top>(example: S["Encoded"]) =>
  (schema: S): S["Rebuild"] =>
    // Annotations want a decoded value. The schemas of the API decode to what they encode to, but for brands.
    schema.annotate({ examples: [example as S["Type"]] })

/** The numbers of a list with one item, in examples. */
export const onePage = { page_size: 50, results: 1, total_pages: 1, current_page: 1 } as const
