/** Where the records of people are. */
import { array, byBytes, json, object, type Source, time, value, when } from "./RecordSql.ts"

export const roles: Source<"roles"> = {
  from: "roles r",
  order: [byBytes("r.id")],
  fields: {
    id: value("r.id"),
    created_at: time("r.created_at"),
    updated_at: time("r.updated_at"),
    name: value("r.name"),
    colour: value("r.colour"),
    permissions: value("r.permissions"),
    meta: json("r.meta"),
    rank: value("r.rank"),
    built_in: value("r.built_in")
  }
}

export const tags: Source<"tags"> = {
  from: "tags g",
  order: [byBytes("g.id")],
  fields: { id: value("g.id"), created_at: time("g.created_at"), name: value("g.name") }
}

const rolesOf = array(
  object({ id: value("h.role_id"), badge: value("h.badge") }),
  "account_roles h where h.account_id = a.id",
  [byBytes("h.role_id")]
)

const emailsOf = array(
  object({
    id: value("e.id"),
    created_at: time("e.created_at"),
    address: value("e.address"),
    verified: value("e.verified")
  }),
  "account_emails e where e.account_id = a.id",
  [byBytes("e.id")]
)

const phoneOf = `(select ${object({
  id: value("n.id"),
  created_at: time("n.created_at"),
  number: value("n.phone_number")
})} from phone_numbers n where n.account_id = a.id)`

const identitiesOf = array(
  object({
    id: value("i.id"),
    created_at: time("i.created_at"),
    service: value("i.service"),
    issuer: value("i.issuer"),
    subject: value("i.subject"),
    name: value("i.name")
  }),
  "identities_elsewhere i where i.account_id = a.id",
  [byBytes("i.id")]
)

export const accounts = (withAddresses: boolean): Source<"accounts"> => ({
  from: "accounts a",
  order: [byBytes("a.id")],
  accounts: ["a.id"],
  fields: {
    id: value("a.id"),
    created_at: time("a.created_at"),
    updated_at: time("a.updated_at"),
    suspended_at: time("a.suspended_at"),
    kind: value("a.kind"),
    admin: value("a.admin"),
    founder: value("exists (select from founder f where f.account_id = a.id)"),
    handle: value("a.handle"),
    name: value("a.name"),
    bio: value("a.bio"),
    signature: value("a.signature"),
    links: json("a.links"),
    meta: json("a.meta"),
    verified_status: value("a.verified_status"),
    invited_by: value("a.invited_by"),
    avatar_id: value("a.avatar_id"),
    roles: rolesOf,
    interests: array(value("s.tag_id"), "account_interests s where s.account_id = a.id", [
      byBytes("s.tag_id")
    ]),
    emails: when(withAddresses, emailsOf),
    signs_in_by_email_since: when(
      withAddresses,
      `(select ${time("c.created_at")} from code_sign_ins c where c.account_id = a.id)`
    ),
    phone: when(withAddresses, phoneOf),
    identities: when(withAddresses, identitiesOf)
  }
})

export const follows: Source<"follows"> = {
  from: "follows f",
  order: [byBytes("f.id")],
  accounts: ["f.follower_id", "f.followed_id"],
  fields: {
    id: value("f.id"),
    created_at: time("f.created_at"),
    follower_id: value("f.follower_id"),
    followed_id: value("f.followed_id")
  }
}

export const notes: Source<"notes"> = {
  from: "moderation_notes n",
  order: [byBytes("n.id")],
  // What staff write for each other names others, and is shown to nobody else.
  fields: {
    id: value("n.id"),
    created_at: time("n.created_at"),
    account_id: value("n.account_id"),
    author_id: value("n.author_id"),
    content: value("n.content")
  }
}

export const warnings: Source<"warnings"> = {
  from: "account_warnings w",
  order: [byBytes("w.id")],
  accounts: ["w.account_id"],
  withheld: ["issuer_id"],
  fields: {
    id: value("w.id"),
    account_id: value("w.account_id"),
    issuer_id: value("w.issuer_id"),
    issued_at: time("w.issued_at"),
    reason: value("w.reason")
  }
}

export const reports: Source<"reports"> = {
  from: "reports r",
  order: [byBytes("r.id")],
  accounts: ["r.reported_by"],
  withheld: ["handled_by"],
  fields: {
    id: value("r.id"),
    created_at: time("r.created_at"),
    updated_at: time("r.updated_at"),
    target_kind: value("r.target_kind"),
    target_id: value("r.target_id"),
    reported_by: value("r.reported_by"),
    handled_by: value("r.handled_by"),
    comment: value("r.comment"),
    status: value("r.status")
  }
}

export const notifications: Source<"notifications"> = {
  from: "notifications n",
  order: [byBytes("n.id")],
  accounts: ["n.account_id"],
  fields: {
    id: value("n.id"),
    created_at: time("n.created_at"),
    account_id: value("n.account_id"),
    event: value("n.event"),
    status: value("n.status"),
    source_id: value("n.source_id"),
    item_kind: value("n.item_kind"),
    item_id: value("n.item_id"),
    reply_id: value("n.reply_id")
  }
}

export const audit: Source<"audit"> = {
  from: "audit_events e",
  // Failures of the service are nothing that somebody did.
  where: "e.type <> 'internal_error'",
  order: [byBytes("e.id")],
  // What staff did to others is about those.
  accounts: ["case when e.subject ->> 'account_id' = e.enacted_by then e.enacted_by end"],
  fields: {
    id: value("e.id"),
    occurred_at: time("e.occurred_at"),
    type: value("e.type"),
    enacted_by: value("e.enacted_by"),
    subject: json("e.subject")
  }
}
