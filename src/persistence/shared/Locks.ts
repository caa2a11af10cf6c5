/**
 * The one order in which transactions lock what others lock too. Two that take locks in opposite orders
 * wait for each other until PostgreSQL ends one (a deadlock); a lock out of order is therefore a defect,
 * found by the first test that takes it.
 */
import { Context, Effect } from "effect"

/**
 * The locks, from the one that is taken first to the last. Within one kind, rows are locked in the order of their keys.
 */
const order = [
  "sealed state",
  // A plugin, before the bot and the role that it gets.
  "plugin",
  // Which roles there are, and who holds them.
  "roles",
  "account",
  "access key",
  "passkey",
  "initial access tokens",
  // Which clients of OAuth registered by themselves, and how many of a network.
  "oauth registrations",
  "oauth client",
  "remote connection",
  "webhook",
  // What a webhook is told of, and how many of that wait.
  "webhook delivery",
  "phone number",
  "identity elsewhere",
  "collection",
  // Which categories there are, and which contains which.
  "category tree",
  // Who enters a category, or none.
  "category",
  // Which nodes the library has, and which contains which.
  "library tree",
  // The nodes that one node contains, and the fields of their properties.
  "library group",
  "node",
  "thread",
  "calendar event",
  "report",
  "warning",
  "purge",
  // How many notifications an account has got since its oldest were deleted.
  "notification receiver",
  "notification",
  "collection owner",
  "settings",
  "instance image",
  "theme",
  "link",
  "link fetch",
  // How much the copies of pictures take.
  "link pictures",
  "tag",
  "thread total",
  // How many threads an author has in a category, or in none.
  "author total",
  "tag count",
  "category row",
  // How many drafts of nodes an account has.
  "draft count",
  "mail",
  // How many mails an address was sent.
  "mail recipient",
  "text message",
  // How many text messages go to a number, or are asked for from a network.
  "text count",
  // What an account has granted clients of OAuth.
  "oauth grants",
  "oauth code",
  // How many wrong codes of devices an account or a network has sent.
  "oauth device guesses",
  // A device that waits for an answer.
  "oauth device",
  // The sessions of an account.
  "sessions"
] as const

export type Lock = (typeof order)[number]

interface Taken {
  last: Lock | undefined
}

/** What the running transaction has locked last. */
const LocksTaken = Context.Reference<Taken | undefined>("forum/persistence/LocksTaken", {
  defaultValue: () => undefined
})

/** Runs a transaction in its turn; one inside another goes on with the turn and the locks of that one. */
export const inLockOrder = <A, E, R>(
  transaction: Effect.Effect<A, E, R>,
  inTurn: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = (alone) => alone
): Effect.Effect<A, E, R> =>
  Effect.flatMap(LocksTaken, (taken) =>
    taken === undefined
      ? inTurn(Effect.provideService(transaction, LocksTaken, { last: undefined }))
      : transaction
  )

/** A statement that locks rows until the transaction ends. */
export const locking =
  (lock: Lock) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(LocksTaken, (taken) => {
      if (taken === undefined) return Effect.die(new Error(`Locked outside of a transaction: ${lock}`))
      if (taken.last !== undefined && order.indexOf(taken.last) > order.indexOf(lock)) {
        return Effect.die(new Error(`Locked out of order: ${lock} after ${taken.last}`))
      }
      taken.last = lock
      return statement
    })
