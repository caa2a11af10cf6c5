/**
 * The one way to declare an expected failure.
 *
 * A problem is a tagged error of the domain and, unchanged, the body of an
 * HTTP error response (RFC 9457). `tag` is what `Effect.catchTag` sees;
 * `type` is the stable address that clients compare and people open.
 */
import { Effect, Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** What a problem says of itself wherever it occurs; the source of its page under `/api/problems`. */
export interface ProblemType {
  readonly name: string
  readonly type: string
  readonly status: number
  readonly title: string
  readonly explanation: string
}

/** Any problem that has occurred: what its response is made of. */
export interface AnyProblem extends Error {
  readonly type: string
  readonly status: number
  readonly title: string
  readonly detail?: string | undefined
  readonly metadata: object
}

const kebab = (tag: string) => tag.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()

/** Facts about the failure that a client may act on; an empty object unless declared. */
type Metadata<Fields extends Schema.Struct.Fields> = [keyof Fields] extends [never]
  ? Schema.withConstructorDefault<Schema.Struct<Fields>>
  : Schema.Struct<Fields>

/**
 * Declares a problem class. `title` is a sentence for people; `explanation`
 * says when it occurs and what to do about it. Metadata fields must be plain
 * JSON values, the same in the program as on the wire.
 */
export const Problem =
  <Self = never>() =>
  <
    const Tag extends string,
    const Status extends number,
    const Fields extends Record<string, Schema.Codec<unknown>> = Record<never, never>
  >(
    tag: Tag,
    options: {
      readonly status: Status
      readonly title: string
      readonly explanation: string
      readonly metadata?: Fields
    }
  ) => {
    const type = `/api/problems/${kebab(tag)}` as const
    const problemType: ProblemType = {
      name: kebab(tag),
      type,
      status: options.status,
      title: options.title,
      explanation: options.explanation
    }
    const metadata = Schema.Struct(options.metadata ?? {})
    const base = HttpApiError.Problem<Self>()(
      tag,
      { type, status: options.status, title: options.title },
      {
        // The conditional type says when the default applies; the compiler cannot follow it here.
        metadata: (options.metadata === undefined
          ? metadata.pipe(Schema.withConstructorDefault(Effect.succeed({})))
          : metadata) as unknown as Metadata<Fields>,
        /** Added when the response is made; the domain knows of no requests. */
        trace_id: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed("")))
      },
      { description: options.title }
    )
    return Object.assign(base, { problemType })
  }

/**
 * A problem that any operation may answer with, on its way past the failures that each step declares.
 * Only what is marked by this goes out as its problem: any other defect is a failure of the service.
 */
export class CarriedProblem {
  readonly problem: AnyProblem

  constructor(problem: AnyProblem) {
    this.problem = problem
  }
}

/** Ends the request with a problem that every operation declares, without a place among the failures of each step. */
export const dieWithProblem = (problem: AnyProblem): Effect.Effect<never> =>
  Effect.die(new CarriedProblem(problem))

/** Whether a failure is a declared problem. */
export const isProblem = (value: unknown): value is AnyProblem =>
  value instanceof Error && problemTypeOf(value.constructor) !== undefined

/** The problemType behind a schema or class, if it is a problem's. */
export const problemTypeOf = (value: unknown): ProblemType | undefined =>
  typeof value === "function" && "problemType" in value && isProblemType(value.problemType)
    ? value.problemType
    : undefined

const isProblemType = (value: unknown): value is ProblemType =>
  typeof value === "object" && value !== null && "explanation" in value
