/** What a purge of an account does to each table that refers to accounts: a new one needs an answer, too. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PurgedContent } from "../../src/domain/vocabulary/Kinds.ts"
import * as Database from "../support/database.ts"

/** The content as which rows are purged, or why they stay. */
type Fate =
  | PurgedContent
  | "derived from what is purged"
  | "belongs to the account, which stays"
  | "no content: it says who was there, read or follows"
  | "a record for those who moderate and operate"
  | "content of others, which names the account"

const fates: Readonly<Record<string, Fate>> = {
  "access_keys.account_id": "belongs to the account, which stays",
  "account_counts.account_id": "derived from what is purged",
  "account_emails.account_id": "belongs to the account, which stays",
  "account_interests.account_id": "belongs to the account, which stays",
  "account_roles.account_id": "belongs to the account, which stays",
  "account_warnings.account_id": "a record for those who moderate and operate",
  "account_warnings.issuer_id": "a record for those who moderate and operate",
  "account_writes.account_id": "belongs to the account, which stays",
  "accounts.invited_by": "content of others, which names the account",
  "asked_configurations.asked_by": "belongs to the account, which stays",
  "assets.account_id": "belongs to the account, which stays",
  "audit_events.enacted_by": "a record for those who moderate and operate",
  "author_totals.author_id": "derived from what is purged",
  "calendar_addresses.account_id": "belongs to the account, which stays",
  "calendar_participants.account_id": "no content: it says who was there, read or follows",
  "code_sign_ins.account_id": "belongs to the account, which stays",
  "collection_items.added_by": "content of others, which names the account",
  "collection_owners.account_id": "derived from what is purged",
  "collections.owner_id": "collections",
  "follows.followed_id": "no content: it says who was there, read or follows",
  "follows.follower_id": "no content: it says who was there, read or follows",
  "founder.account_id": "belongs to the account, which stays",
  "identities_elsewhere.account_id": "belongs to the account, which stays",
  "idempotency_counts.account_id": "belongs to the account, which stays",
  "idempotency_keys.account_id": "belongs to the account, which stays",
  "invitations.creator_id": "belongs to the account, which stays",
  "initial_access_tokens.created_by": "a record for those who moderate and operate",
  "likes.account_id": "likes",
  "links.described_by": "content of others, which names the account",
  "moderation_notes.account_id": "a record for those who moderate and operate",
  "moderation_notes.author_id": "a record for those who moderate and operate",
  "node_draft_counts.account_id": "derived from what is purged",
  "node_versions.author_id": "content of others, which names the account",
  "nodes.owner_id": "nodes",
  "notification_receivers.account_id": "belongs to the account, which stays",
  "notifications.account_id": "belongs to the account, which stays",
  "notifications.source_id": "content of others, which names the account",
  "oauth_clients.account_id": "belongs to the account, which stays",
  "remote_authorizations.account_id": "belongs to the account, which stays",
  "remote_connections.account_id": "belongs to the account, which stays",
  "oauth_devices.claimed_by": "belongs to the account, which stays",
  "own_data_exports.account_id": "belongs to the account, which stays",
  "passkeys.account_id": "belongs to the account, which stays",
  "password_attempts.account_id": "belongs to the account, which stays",
  "password_resets.account_id": "belongs to the account, which stays",
  "passwords.account_id": "belongs to the account, which stays",
  "phone_numbers.account_id": "belongs to the account, which stays",
  "plugins.account_id": "a record for those who moderate and operate",
  "posts.author_id": "replies",
  "purges.account_id": "a record for those who moderate and operate",
  "purges.enacted_by": "a record for those who moderate and operate",
  "reacts.account_id": "reacts",
  "read_marks.account_id": "no content: it says who was there, read or follows",
  "oauth_authorisations.account_id": "belongs to the account, which stays",
  "oauth_grants.account_id": "belongs to the account, which stays",
  "reports.handled_by": "a record for those who moderate and operate",
  "reports.reported_by": "a record for those who moderate and operate",
  "sessions.account_id": "belongs to the account, which stays",
  "theme.set_by": "a record for those who moderate and operate",
  "thread_participants.account_id": "derived from what is purged",
  "threads.author_id": "threads",
  "webhooks.account_id": "a record for those who moderate and operate"
}

layer(Database.fresh)("a column that refers to accounts", (it) => {
  it.effect("is purged, or there is a reason why not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly name: string }>`
        select format('%s.%s', conrelid::regclass, a.attname) as name
        from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
        where f.contype = 'f' and f.confrelid = 'accounts'::regclass`
      assert.deepStrictEqual(rows.map(({ name }) => name).toSorted(), Object.keys(fates).toSorted())
    })
  )
})

it("every content that has a table of its own is purged from one", () => {
  const purged = new Set<string>(Object.values(fates))
  assert.deepStrictEqual(
    PurgedContent.literals.filter((content) => !purged.has(content)),
    // It is a column of the account itself.
    ["profile_bio"]
  )
})
