/** Rich text: HTML written by users, safe to show. */
import { Data, Effect, Schema } from "effect"
import type { Analysis } from "./richtext/Analysis.ts"
import { type Limit, maxima } from "./richtext/Budget.ts"
import {
  analyseDocument,
  type ExceededLimit,
  isWrapped,
  type SanitisedText,
  sanitise,
  wrap
} from "./richtext/Sanitise.ts"
import { MarkupTooComplex } from "./TextProblem.ts"

export type { Analysis, Reference, ReferenceKind } from "./richtext/Analysis.ts"

/** A sanitised document, `<body>…</body>`. Input from clients becomes one by `read` only. */
export const RichText = Schema.String.check(
  Schema.makeFilter(isWrapped, { expected: "a document: <body>…</body>" })
)
  .pipe(Schema.brand("RichText"))
  .annotate({ description: "Sanitised HTML, always one `<body>` element" })
export type RichText = typeof RichText.Type

/** A document without content. */
export const empty: RichText = RichText.make(wrap(""))

/** A text exceeds a limit of what is read. */
export class TooComplex extends Data.TaggedError("TooComplex")<{
  readonly limit: Limit
  readonly maximum: number
}> {}

/** Fails with the problem that tells the client which limit it was. */
export const refuseComplex = ({ limit, maximum }: TooComplex): Effect.Effect<never, MarkupTooComplex> =>
  Effect.fail(new MarkupTooComplex({ metadata: { limit, maximum } }))

/** A document and what is derived from it. */
export interface Reading {
  readonly document: RichText
  readonly analysis: Analysis
}

/** What sanitising came to, on whichever thread. */
export const readingOf = (result: SanitisedText | ExceededLimit): Effect.Effect<Reading, TooComplex> =>
  "exceeded" in result
    ? Effect.fail(new TooComplex({ limit: result.exceeded, maximum: maxima[result.exceeded] }))
    : Effect.succeed({ document: RichText.make(result.document), analysis: result.analysis })

/** The sanitised document of any input, HTML or plain text. It may take 50 ms, so that the service uses `Sanitiser`. */
export const read = (input: string): Effect.Effect<Reading, TooComplex> =>
  Effect.suspend(() => readingOf(sanitise(input, maxima.steps)))

/** All values derived from a stored document. */
export const analyse = (document: RichText): Analysis => analyseDocument(document)
