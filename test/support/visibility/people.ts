/** Lists and numbers about people, and of what only some of them see. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { idsOf } from "../answers.ts"
import { guest } from "../people.ts"
import { type Comparison, idsIn, type Json, listed, postsOf, read, same, type View } from "./Reader.ts"
import type { Told } from "./World.ts"

export const profiles: Comparison = Effect.fnUntraced(function* ({ view }) {
  const list = yield* listed(view, "/profiles", "profiles")
  same(idsOf(list), idsIn(view.profiles), view.name)
  const following = new Map<string, ReadonlyArray<string>>()
  const followed: Array<string> = []
  for (const [id, profile] of view.profiles) {
    const followers = yield* listed(view, `/profiles/${id}/followers`, "followers")
    const followees = yield* listed(view, `/profiles/${id}/following`, "following")
    assert.deepStrictEqual(
      [profile.followers, profile.following],
      [followers.length, followees.length],
      `${id} as ${view.name}`
    )
    following.set(id, idsOf(followees))
    followed.push(...idsOf(followers).map((one) => `${one} follows ${id}`))
  }
  const follows = [...following].flatMap(([id, ids]) => ids.map((one) => `${id} follows ${one}`))
  same(followed, follows, view.name)
})

const isReadable = (view: View, id: string) =>
  postsOf(view).has(id) || view.nodes.has(id) || view.profiles.has(id)

/** Of what an account was notified of, the list and the number of unread ones have what it may still read. */
export const notifications = (sql: SqlClient.SqlClient): Comparison =>
  Effect.fnUntraced(function* ({ staff, view }) {
    const { person } = view
    if (person === guest) return
    const kept = yield* sql<{
      readonly id: string
      readonly about: string | null
      readonly status: string
    }>`select id, coalesce(reply_id, item_id) as about, status from notifications where account_id = ${person.id}`
    const shown = kept.filter(({ about }) => about === null || isReadable(view, about))
    const list = yield* listed(view, "/notifications", "notifications", { status: ["unread", "read"] })
    same(idsOf(list), idsOf(shown), view.name)
    for (const { item } of list) {
      if (item !== undefined) assert.isTrue(isReadable(view, item.ref.id), view.name)
    }
    const unread = shown.filter(({ status }) => status === "unread").length
    const own = yield* read(view, "/accounts")
    assert.strictEqual(own.notifications, unread, view.name)
    assert.strictEqual((yield* read(view, "/session")).account.notifications, unread, view.name)
    const seen = yield* read(staff, `/accounts/${person.id}`)
    assert.strictEqual(seen.notifications, unread, view.name)
  })

/** Those that somebody made, or all. */
const ofWhom = (told: ReadonlyArray<Told>, person: View["person"], seesAll: boolean) =>
  told.filter(({ by }) => seesAll || by === person)

export const reports: Comparison = Effect.fnUntraced(function* ({ view, world }) {
  const { person } = view
  if (person === guest) return
  const list = yield* listed(view, "/reports", "reports")
  const expected = ofWhom(world.reports, person, world.librarians.has(person))
  same(idsOf(list), [...new Set(idsOf(expected))], view.name)
  for (const { id, item, target_id } of list) {
    assert.strictEqual(item !== undefined, isReadable(view, target_id), `${id} as ${view.name}`)
    if (item !== undefined) assert.strictEqual(item.ref.id, target_id)
  }
})

export const invitations: Comparison = Effect.fnUntraced(function* ({ staff, view, world }) {
  const { person } = view
  if (person === guest) return
  const list = yield* listed(view, "/invitations", "invitations")
  same(idsOf(list), idsOf(ofWhom(world.invitations, person, person === staff.person)), view.name)
})

export const keys: Comparison = Effect.fnUntraced(function* ({ staff, view, world }) {
  const { person } = view
  if (person === staff.person) {
    const all: ReadonlyArray<Json> = (yield* read(view, "/admin/access-keys")).keys
    same(idsOf(all), idsOf(world.keys), view.name)
  } else if (person !== guest) {
    const own: ReadonlyArray<Json> = (yield* read(view, "/auth/access-keys")).keys
    same(idsOf(own), idsOf(ofWhom(world.keys, person, false)), view.name)
  }
})

/** What only the administration reads: accounts, warnings, notes and the log of what was done. */
export const administration = (sql: SqlClient.SqlClient): Comparison =>
  Effect.fnUntraced(function* ({ view, staff, world }) {
    if (view !== staff) return
    const accounts = yield* listed(view, "/admin/accounts", "accounts")
    same(idsOf(accounts), idsIn(view.profiles), view.name)
    for (const { id } of accounts) {
      yield* read(view, `/accounts/${id}`)
      const { total, warnings } = yield* read(view, `/accounts/${id}/warnings`)
      same(idsOf(warnings), idsOf(world.warnings.filter(({ target }) => target === id)), id)
      assert.strictEqual(total, warnings.length, id)
      const { notes } = yield* read(view, `/accounts/${id}/moderation-notes`)
      same(idsOf(notes), idsOf(world.notes.filter(({ target }) => target === id)), id)
    }
    const entries = yield* listed(view, "/admin/audit-events", "events")
    const kept = yield* sql<{ readonly id: string }>`select id from audit_events`
    same(idsOf(entries), idsOf(kept), view.name)
    for (const entry of entries) {
      assert.deepStrictEqual(yield* read(view, `/admin/audit-events/${entry.id}`), entry)
    }
    // What was purged is told with the kinds of content that were asked for.
    for (const { included } of entries.filter(({ type }) => type === "account_content_purged")) {
      assert.isNotEmpty(included)
    }
    const { roles } = yield* read(view, "/roles")
    for (const role of roles) assert.deepStrictEqual(yield* read(view, `/roles/${role.id}`), role)
  })
