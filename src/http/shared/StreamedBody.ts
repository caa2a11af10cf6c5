/** Bodies that are taken in parts, and never held as a whole. */
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { checkLength } from "./Body.ts"
import { BodyProgress } from "./BodyProgress.ts"
import { RequestContext } from "./RequestContext.ts"
import { PayloadTooLarge } from "./RequestProblems.ts"

/** After so many bytes the request has the usual time again, for the next ones or what follows them. */
const step = 1024 * 1024

/** The body of the request, limited as its operation declares. A part counts as written when the next one is taken. */
export const streamedBody = (request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { extendDeadline, maxBody } = yield* RequestContext
      const passedOn = yield* BodyProgress
      yield* checkLength(request, maxBody)
      let total = 0
      let taken = 0
      const bounded = Stream.mapArrayEffect(Stream.orDie(request.stream), (parts) => {
        passedOn(request.source, taken)
        taken = parts.reduce((sum, part) => sum + part.length, 0)
        if (Math.floor((total + taken) / step) > Math.floor(total / step)) extendDeadline()
        total += taken
        return total > maxBody
          ? dieWithProblem(new PayloadTooLarge({ metadata: { maximum: maxBody } }))
          : Effect.succeed(parts)
      })
      const end = Stream.suspend(() => {
        passedOn(request.source, taken)
        if (total > step) extendDeadline()
        return Stream.empty
      })
      return Stream.concat(bounded, end)
    })
  )
