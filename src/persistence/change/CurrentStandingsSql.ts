/** Reads what changes are about as it is now, for all changes of a page in one statement. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Audience, CurrentStandings, EventTarget, VersionTarget } from "../../domain/change/Audience.ts"
import type { NodeStanding } from "../../domain/library/NodeRules.ts"
import type { AccountId, CalendarEventId, NodeId, NodeVersionId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { PostState } from "../../domain/thread/PostVisibility.ts"
import { heldPermissions } from "../role/HeldPermissions.ts"
import { all } from "../shared/Query.ts"
import { standingColumns } from "../visibility/CalendarStandingSql.ts"

interface Row<Kind extends string> {
  readonly kind: Kind
}

interface PostRow extends Row<"post"> {
  readonly id: PostId
  readonly maker_id: AccountId
  readonly visibility: Visibility
  readonly within_id: PostId
  readonly within_maker_id: AccountId
  readonly within_visibility: Visibility
}

interface NodeRow extends Row<"node"> {
  readonly id: NodeId
  readonly maker_id: AccountId
  readonly visibility: Visibility
}

interface VersionRow extends Row<"draft" | "applied"> {
  readonly id: NodeVersionId
  readonly maker_id: AccountId
  readonly within_maker_id: AccountId
  readonly within_visibility: Visibility
}

interface EventRow extends Row<"calendar event"> {
  readonly id: CalendarEventId
  readonly visibility: Visibility
  readonly hosts: ReadonlyArray<AccountId> | null
  readonly attendees: ReadonlyArray<AccountId> | null
}

interface AdministratorRow extends Row<"administrator"> {
  readonly id: AccountId
}

type AnyRow = PostRow | NodeRow | VersionRow | EventRow | AdministratorRow

interface Found {
  readonly posts: Map<PostId, PostState>
  readonly nodes: Map<NodeId, NodeStanding>
  readonly versions: Map<NodeVersionId, VersionTarget>
  readonly calendarEvents: Map<CalendarEventId, EventTarget>
  readonly administrators: Set<AccountId>
}

const nothingFound = (): Found => ({
  posts: new Map(),
  nodes: new Map(),
  versions: new Map(),
  calendarEvents: new Map(),
  administrators: new Set()
})

const add = (now: Found, row: AnyRow): void => {
  switch (row.kind) {
    case "post":
      now.posts.set(row.id, {
        id: row.id,
        authorId: row.maker_id,
        visibility: row.visibility,
        thread: { id: row.within_id, authorId: row.within_maker_id, visibility: row.within_visibility }
      })
      return
    case "node":
      now.nodes.set(row.id, { ownerId: row.maker_id, visibility: row.visibility })
      return
    case "draft":
    case "applied":
      now.versions.set(row.id, {
        node: { ownerId: row.within_maker_id, visibility: row.within_visibility },
        authorId: row.maker_id,
        status: row.kind
      })
      return
    case "calendar event":
      now.calendarEvents.set(row.id, {
        visibility: row.visibility,
        hosts: new Set(row.hosts),
        attendees: new Set(row.attendees)
      })
      return
    case "administrator":
      now.administrators.add(row.id)
  }
}

/** The ids of what audiences of a kind are about, each once. */
const idsOf = (audiences: ReadonlyArray<Audience>, kind: Audience["_tag"]): ReadonlyArray<string> => [
  ...new Set(audiences.flatMap((one) => (one._tag === kind && "id" in one ? [one.id] : [])))
]

export const makeCurrentStandings =
  (reads: SqlClient.SqlClient) =>
  (audiences: ReadonlyArray<Audience>): Effect.Effect<CurrentStandings> => {
    const asked = {
      posts: idsOf(audiences, "Post"),
      nodes: idsOf(audiences, "Node"),
      versions: idsOf(audiences, "Version"),
      events: idsOf(audiences, "CalendarEvent"),
      accounts: idsOf(audiences, "Account")
    }
    const now = nothingFound()
    if (Object.values(asked).every((ids) => ids.length === 0)) return Effect.succeed(now)
    const rows = all(reads<AnyRow>`select 'post' as kind, p.id, p.author_id as maker_id, p.visibility,
          t.id as within_id, t.author_id as within_maker_id, t.visibility as within_visibility,
          null::text[] as hosts, null::text[] as attendees
        from posts p join threads t on t.id = p.thread_id
        where p.id = any(${asked.posts}::text[]) and p.deleted_at is null and t.deleted_at is null
      union all select 'node', id, owner_id, visibility, null, null, null, null, null
        from nodes where id = any(${asked.nodes}::text[])
      union all select v.status, v.id, v.author_id, null, null, n.owner_id, n.visibility, null, null
        from node_versions v join nodes n on n.id = v.node_id where v.id = any(${asked.versions}::text[])
      union all select 'calendar event', found.id, null, found.visibility, null, null, null, found.hosts,
          found.attendees
        from (select e.id, ${reads.literal(standingColumns("e"))} from calendar_events e
          where e.id = any(${asked.events}::text[]) and e.deleted_at is null) found
      union all select 'administrator', a.id, null, null, null, null, null, null, null
        from accounts a where a.id = any(${asked.accounts}::text[])
          and 'ADMINISTRATOR' = any(${reads.literal(heldPermissions("a"))})`)
    return Effect.map(rows, (found) => {
      for (const row of found) add(now, row)
      return now
    })
  }
