/** Forward-only migrations, run at start. Several instances may start at once: one migrates, the others wait. */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import accounts from "../migrations/0001_accounts.ts"

import events from "../migrations/0002_events.ts"

import discussion from "../migrations/0003_discussion.ts"

import notifications from "../migrations/0004_notifications.ts"

import replyOrdinals from "../migrations/0005_reply_ordinals.ts"

import readSide from "../migrations/0006_read_side.ts"

import eventDelivery from "../migrations/0007_event_delivery.ts"

import byAccount from "../migrations/0008_by_account.ts"

import threadTags from "../migrations/0009_thread_tags.ts"

import handleKeys from "../migrations/0010_handle_keys.ts"

import linkUrls from "../migrations/0011_link_urls.ts"

import threads from "../migrations/0012_threads.ts"

import notificationPages from "../migrations/0013_notifications.ts"

import passwordAttempts from "../migrations/0014_password_attempts.ts"

import search from "../migrations/0024_search.ts"

// Any number that no other program on the same database is likely to lock.
const advisoryLock = 7_316_202_611

const pending = Migrator.make({})({
  table: "migrations",
  loader: Migrator.fromRecord({
    "0001_accounts": accounts,
    "0002_events": events,
    "0003_discussion": discussion,
    "0004_notifications": notifications,
    "0005_reply_ordinals": replyOrdinals,
    "0006_read_side": readSide,
    "0007_event_delivery": eventDelivery,
    "0008_by_account": byAccount,
    "0009_thread_tags": threadTags,
    "0010_handle_keys": handleKeys,
    "0011_link_urls": linkUrls,
    "0012_threads": threads,
    "0013_notifications": notificationPages,
    "0014_password_attempts": passwordAttempts,
    "0024_search": search
  })
})

/** Brings the database to the newest schema, or fails and leaves it as it was. */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      // Changing a large table takes longer than any request may, and so does waiting for the instance that changes it.
      yield* sql`set local statement_timeout = 0`
      yield* sql`set local lock_timeout = 0`
      yield* sql`select pg_advisory_xact_lock(${advisoryLock})`
      yield* pending
    })
  )
})
