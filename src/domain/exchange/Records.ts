/** What the service noted of what happened, for some of the people in it. */
import { Schema } from "effect"
import { AnyObject, changed, created, Id, idOf, maybe, Text, Time } from "./Fields.ts"

const gone = "It may be gone since"

export const Report = Schema.Struct({
  ...changed,
  target_kind: Schema.Literals(["post", "thread", "reply", "node", "collection", "profile", "event"]),
  target_id: Id.annotate({ description: `What it is about. ${gone}.` }),
  reported_by: maybe(idOf("accounts")),
  handled_by: maybe(idOf("accounts")),
  comment: maybe(Text(2000, 1)),
  status: Schema.Literals(["submitted", "acknowledged", "resolved"])
})

export const Notification = Schema.Struct({
  ...created,
  account_id: idOf("accounts").annotate({ description: "Who gets it" }),
  event: Text(100, 1),
  status: Schema.Literals(["unread", "read"]),
  source_id: maybe(idOf("accounts")).annotateKey({ description: "Who did what it is about" }),
  item_kind: maybe(Schema.Literals(["post", "node", "profile"])),
  item_id: maybe(Id).annotateKey({ description: gone }),
  reply_id: maybe(Id).annotateKey({ description: gone })
})

/** An entry of the audit log. */
export const AuditEntry = Schema.Struct({
  id: Id,
  occurred_at: Time,
  type: Text(100, 1),
  enacted_by: maybe(idOf("accounts")),
  subject: AnyObject
})
