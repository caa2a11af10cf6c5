/** The log of all changes, which is read from a position on. */
import { Context, type Effect } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { CurrentStandings } from "./Audience.ts"
import type { LoggedChange } from "./ChangeFeed.ts"
import type { CursorExpired } from "./ChangeList.ts"
import type { ChangePosition } from "./ChangePosition.ts"
import type { ChangeName } from "./Changes.ts"

export interface LogPage {
  /** In the order of all changes. */
  readonly changes: ReadonlyArray<LoggedChange>
  /** What they are about as it is now. */
  readonly now: CurrentStandings
  /** From where to read on. */
  readonly next: ChangePosition
  /** Whether there may be more to read now. */
  readonly isPart: boolean
}

export class ChangeLog extends Context.Service<
  ChangeLog,
  {
    /** After all that can be read now. */
    readonly latest: Effect.Effect<ChangePosition>
    /**
     * The next changes with these names, at most `limit`; without a position, from the oldest that is kept. It looks at
     * a bounded part of the log, so that a page may have fewer, or none, although there is more. Few pages are read at a
     * time, and networks have their turns.
     */
    readonly read: (
      network: ClientNetwork,
      after: ChangePosition | undefined,
      names: ReadonlyArray<ChangeName>,
      limit: number
    ) => Effect.Effect<LogPage, CursorExpired>
  }
>()("forum/domain/ChangeLog") {}
