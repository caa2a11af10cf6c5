/**
 * What others are told of: programs beside the service that follow what happens in it. Each change is an object whose
 * `event` says which it is. It has exactly the fields that are declared here; those that do not apply are absent.
 */
import { Schema } from "effect"
import { JsonObject } from "../field/Json.ts"
import {
  AccountId,
  CalendarEventId,
  CategoryId,
  Id,
  ModerationNoteId,
  NodeId,
  NodeVersionId,
  PostId,
  ReportId,
  WarningId
} from "../shared/Id.ts"
import { DatagraphItemKind } from "../vocabulary/Kinds.ts"
import { ReportStatus } from "../vocabulary/ReportStatus.ts"

const change = <const Name extends string, const Fields extends Schema.Struct.Fields>(
  name: Name,
  description: string,
  fields: Fields
) =>
  Schema.Struct({ event: Schema.Literal(name), ...fields }).annotate({
    identifier: name,
    description
  })

const thread = { id: PostId.annotateKey({ description: "The thread" }) }

export const EventThreadPublished = change(
  "EventThreadPublished",
  "A thread was opened as published, or became published.",
  thread
)
export const EventThreadUnpublished = change(
  "EventThreadUnpublished",
  "The visibility of a thread was changed to any other than published.",
  thread
)
export const EventThreadUpdated = change(
  "EventThreadUpdated",
  "A thread was changed. What its visibility became follows.",
  thread
)
export const EventThreadDeleted = change(
  "EventThreadDeleted",
  "A thread was deleted, with its replies.",
  thread
)

const reply = {
  thread_id: PostId.annotateKey({ description: "The thread that the reply is in" }),
  reply_id: PostId.annotateKey({ description: "The reply" })
}

export const EventThreadReplyCreated = change(
  "EventThreadReplyCreated",
  "A reply was written. One that is held for review is told of when it is published.",
  {
    ...reply,
    thread_author_id: AccountId.annotateKey({ description: "Who opened the thread" }),
    reply_author_id: AccountId.annotateKey({ description: "Who wrote the reply" }),
    reply_to_author_id: Schema.optionalKey(AccountId).annotateKey({
      description: "Who wrote the reply that it answers, if it answers one"
    }),
    reply_to_target_id: Schema.optionalKey(PostId).annotateKey({
      description: "The reply that it answers, if it answers one"
    })
  }
)
export const EventThreadReplyUpdated = change(
  "EventThreadReplyUpdated",
  "A reply was changed. What its visibility became follows.",
  reply
)
export const EventThreadReplyDeleted = change("EventThreadReplyDeleted", "A reply was deleted.", reply)
export const EventThreadReplyPublished = change(
  "EventThreadReplyPublished",
  "A reply that was not published became so.",
  reply
)
export const EventThreadReplyUnpublished = change(
  "EventThreadReplyUnpublished",
  "The visibility of a reply was changed to any other than published.",
  reply
)

const post = {
  post_id: PostId.annotateKey({ description: "The reply, or the post that opens the thread" }),
  root_post_id: PostId.annotateKey({ description: "The thread that it is in" })
}

export const EventPostLiked = change("EventPostLiked", "Somebody likes a post.", post)
export const EventPostUnliked = change("EventPostUnliked", "Somebody no longer likes a post.", post)
export const EventPostReacted = change("EventPostReacted", "Somebody reacted to a post.", post)
export const EventPostUnreacted = change("EventPostUnreacted", "A reaction to a post was taken back.", post)

const category = {
  id: CategoryId.annotateKey({ description: "The category" }),
  slug: Schema.String.annotateKey({ description: "Its slug now, or when it was deleted" })
}

export const EventCategoryUpdated = change(
  "EventCategoryUpdated",
  "A category was created, changed or moved.",
  category
)
export const EventCategoryDeleted = change("EventCategoryDeleted", "A category was deleted.", category)

const item = (description: string) =>
  Schema.Struct({
    kind: DatagraphItemKind,
    id: Id.annotateKey({ description: "Its id" })
  }).annotate({ description })

export const EventMemberMentioned = change(
  "EventMemberMentioned",
  "Somebody mentioned another account, where others can read it: once for each account that is mentioned.",
  {
    by: AccountId.annotateKey({ description: "Who mentions" }),
    source: item("The thread or reply with the mention"),
    item: item("The profile that is mentioned")
  }
)

const node = {
  id: NodeId.annotateKey({ description: "The page of the library" }),
  slug: Schema.String.annotateKey({ description: "Its slug then" })
}

export const EventNodeCreated = change("EventNodeCreated", "A page of the library was created.", node)
export const EventNodeUpdated = change(
  "EventNodeUpdated",
  "What a page says, its properties or their fields, or its place was changed.",
  node
)
export const EventNodeDeleted = change("EventNodeDeleted", "A page of the library was deleted.", node)
export const EventNodePublished = change(
  "EventNodePublished",
  "A page was created as published, or became published.",
  node
)
export const EventNodeSubmittedForReview = change(
  "EventNodeSubmittedForReview",
  "A page waits for review.",
  node
)
export const EventNodeUnpublished = change(
  "EventNodeUnpublished",
  "The visibility of a page was changed to draft or unlisted.",
  node
)

const draft = {
  node_id: NodeId.annotateKey({ description: "The page" }),
  node_slug: Schema.String.annotateKey({ description: "The slug of the page" }),
  version_id: NodeVersionId.annotateKey({ description: "The draft" }),
  author_id: AccountId.annotateKey({ description: "Who proposed it" })
}

export const EventNodeVersionDraftCreated = change(
  "EventNodeVersionDraftCreated",
  "Somebody proposed a change of a page.",
  draft
)
export const EventNodeVersionDraftUpdated = change(
  "EventNodeVersionDraftUpdated",
  "A proposed change of a page was changed.",
  draft
)
export const EventNodeVersionDraftDeleted = change(
  "EventNodeVersionDraftDeleted",
  "A proposed change of a page was withdrawn or refused.",
  draft
)
export const EventNodeVersionDraftApplied = change(
  "EventNodeVersionDraftApplied",
  "A proposed change of a page was applied.",
  draft
)

const account = { id: AccountId.annotateKey({ description: "The account" }) }

export const EventAccountCreated = change("EventAccountCreated", "There is a new account.", account)
export const EventAccountUpdated = change(
  "EventAccountUpdated",
  "The profile, the email addresses or the roles of an account were changed.",
  account
)
export const EventAccountSuspended = change("EventAccountSuspended", "An account was suspended.", account)
export const EventAccountUnsuspended = change(
  "EventAccountUnsuspended",
  "An account is no longer suspended.",
  account
)

const note = {
  account_id: AccountId.annotateKey({ description: "The account that the note is about" }),
  note_id: ModerationNoteId.annotateKey({ description: "The note" })
}

export const EventModerationNoteCreated = change(
  "EventModerationNoteCreated",
  "Staff noted something about an account.",
  note
)
export const EventModerationNoteDeleted = change(
  "EventModerationNoteDeleted",
  "A note about an account was deleted.",
  note
)

const warning = {
  account_id: AccountId.annotateKey({ description: "The account that is warned" }),
  author_id: AccountId.annotateKey({ description: "Who gave the warning" }),
  warning_id: WarningId.annotateKey({ description: "The warning" })
}

export const EventAccountWarned = change("EventAccountWarned", "An account was warned.", warning)
export const EventAccountWarningUpdated = change(
  "EventAccountWarningUpdated",
  "The reason of a warning was changed.",
  {
    ...warning,
    previous_reason: Schema.String.annotateKey({ description: "The reason before" }),
    reason: Schema.String.annotateKey({ description: "The reason now" })
  }
)
export const EventAccountWarningDeleted = change(
  "EventAccountWarningDeleted",
  "A warning was taken back.",
  warning
)

const report = {
  id: ReportId.annotateKey({ description: "The report" }),
  target: Schema.optionalKey(item("What is reported")),
  reported_by: Schema.optionalKey(AccountId).annotateKey({
    description: "Who reported it; absent if the service did"
  })
}

export const EventReportCreated = change("EventReportCreated", "Something was reported.", report)
export const EventReportUpdated = change("EventReportUpdated", "A report was dealt with, or changed.", {
  ...report,
  handled_by: Schema.optionalKey(AccountId).annotateKey({
    description: "Who deals with it, if somebody does"
  }),
  status: ReportStatus
})

const activity = { id: CalendarEventId.annotateKey({ description: "The event of the calendar" }) }

export const EventActivityCreated = change(
  "EventActivityCreated",
  "An event of the calendar was created.",
  activity
)
export const EventActivityUpdated = change(
  "EventActivityUpdated",
  "An event of the calendar was changed.",
  activity
)
export const EventActivityDeleted = change(
  "EventActivityDeleted",
  "An event of the calendar was deleted, or the thread that it belongs to.",
  activity
)
export const EventActivityPublished = change(
  "EventActivityPublished",
  "An event of the calendar was created as published, or became published.",
  activity
)

export const EventSettingsUpdated = change(
  "EventSettingsUpdated",
  "An administrator changed settings of the instance.",
  { settings: JsonObject.annotateKey({ description: "The public settings, as they are now" }) }
)
