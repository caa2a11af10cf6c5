/** Bodies that are taken in parts, and never held as a whole. */
import {
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  flow,
  identity,
  Layer,
  Metric,
  type Scope,
  Stream
} from "effect"
import type { HttpServerRequest } from "effect/http"
import { CurrentAccount } from "../../domain/shared/Actor.ts"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { PayloadTooLarge, ServiceBusy } from "../contract/RequestProblems.ts"
import { checkLength } from "../pipeline/Body.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import { BodyProgress } from "./BodyProgress.ts"
import { type Sender, Senders, senderBounds } from "./Senders.ts"

type Request = HttpServerRequest.HttpServerRequest

/** After how many bytes a request has the usual time again, for more bytes or for what follows them. */
const step = 1024 * 1024

/** How often it is checked whether an arriving body has become slow enough to give way. */
const lookEvery = "500 millis"

const busy = dieWithProblem(new ServiceBusy({ metadata: { retry_after: 2 } }))

const lengthOf = (parts: ReadonlyArray<Uint8Array>) => parts.reduce((sum, part) => sum + part.length, 0)

const uploads = Metric.gauge("http_uploads", {
  description: "Files that are being received, and that wait for their turn"
})

/** How many bodies may arrive at the same time; the declared bounds unless a test narrows them. */
export const SenderBounds = Context.Reference("forum/http/SenderBounds", { defaultValue: () => senderBounds })

/** The bodies that arrive in this process. */
export class StreamedBodies extends Context.Service<
  StreamedBodies,
  {
    /**
     * The body of the request, limited as its operation declares, when it is its turn. A part counts as written when
     * the next one is taken. While it is waited for, the request has no place that others could have.
     */
    readonly of: (request: Request) => Stream.Stream<Uint8Array, never, CurrentAccount>
    /** How many bodies arrive, and how many wait for their turn. */
    readonly counts: () => { readonly sending: number; readonly waiting: number }
    /** Brings the metrics up to date. */
    readonly observe: Effect.Effect<void>
  }
>()("forum/http/StreamedBodies") {
  static readonly layer = Layer.effect(
    StreamedBodies,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      const senders = new Senders(yield* SenderBounds, now)
      const looking = Effect.forever(
        Effect.delay(
          Effect.sync(() => senders.giveTurns()),
          lookEvery
        )
      )

      /** Waits for the turn of a body, which ends when the scope closes. */
      const begin = Effect.fnUntraced(function* (
        request: Request
      ): Effect.fn.Return<Sender, never, CurrentAccount | Scope.Scope> {
        const facts = yield* RequestContext
        const { accountId } = yield* CurrentAccount
        const { endSlow } = yield* BodyProgress
        const turn = yield* Deferred.make<void>()
        const sender = yield* Effect.acquireRelease(
          Effect.sync(() =>
            senders.arrive({
              account: accountId,
              network: facts.client.network,
              begin: () => Deferred.doneUnsafe(turn, Effect.void),
              refuse: () => Deferred.doneUnsafe(turn, busy),
              end: () => endSlow(request.source),
              extend: () => facts.extendDeadline()
            })
          ),
          (sender) => Effect.sync(() => sender?.leave())
        )
        if (sender === undefined) return yield* busy
        if (Deferred.isDoneUnsafe(turn)) return sender
        yield* facts.releasingPlaceWhile(Effect.raceFirst(Deferred.await(turn), looking))
        facts.extendDeadline()
        return sender
      })

      const of = Effect.fnUntraced(function* (request: Request) {
        const { extendDeadline, releasingPlaceWhile, maxBody } = yield* RequestContext
        const { passedOn } = yield* BodyProgress
        yield* checkLength(request, maxBody)
        const sender = yield* begin(request)
        let total = 0
        let taken = 0

        const advance = () => {
          extendDeadline()
          sender.advance()
        }

        const arriving = Stream.transformPull(Stream.orDie(request.stream), (pull) =>
          Effect.sync(() => {
            const next = Effect.map(Effect.exit(pull), (exit) => {
              sender.got(Exit.isSuccess(exit) ? lengthOf(exit.value) : 0)
              return exit
            })
            return Effect.suspend(() => {
              sender.await()
              return Effect.flatMap(releasingPlaceWhile(next), identity)
            })
          })
        )
        const bounded = Stream.mapArrayEffect(arriving, (parts) => {
          passedOn(request.source, taken)
          taken = lengthOf(parts)
          if (Math.floor((total + taken) / step) > Math.floor(total / step)) advance()
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

      const observe = Effect.suspend(() => {
        const { sending, waiting } = senders.counts
        return Effect.andThen(
          Metric.update(Metric.withAttributes(uploads, { state: "sending" }), sending),
          Metric.update(Metric.withAttributes(uploads, { state: "waiting" }), waiting)
        )
      })

      return StreamedBodies.of({ of: flow(of, Stream.unwrap), counts: () => senders.counts, observe })
    })
  )
}
