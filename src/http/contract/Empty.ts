import { HttpApiSchema } from "effect/http-api"

/** The response of an operation that has nothing to show. */
export const Done = HttpApiSchema.Empty(200).annotate({ description: "Done; no content" })

/** A success of a deletion. */
export const Deleted = HttpApiSchema.Empty(204).annotate({ description: "Deleted; no content" })
