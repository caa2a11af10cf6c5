/** What of the event log others are told of. */
import { Match } from "effect"
import { tagOf } from "../event/EventConsumer.ts"
import { type DomainEvent, declaredEvents } from "../event/EventLog.ts"
import type { CalendarStanding, PostStanding, Standing } from "../event/Standing.ts"
import type { MemberMentioned, ThreadReplyCreated } from "../event/ThreadEvents.ts"
import type { AccountId, CalendarEventId, NodeId, PostId } from "../shared/Id.ts"
import type { Audience } from "./Audience.ts"
import type { Change } from "./Changes.ts"

/**
 * Events that nobody outside is told of. Those of roles and email addresses are logged together with `AccountUpdated`,
 * or with `AccountCreated` where the account is new.
 */
const silent = [
  "AccessKeyCreated",
  "AccessKeyRevoked",
  "AccountContentPurged",
  // Its change is told of when the erasure begins, as `AccountUpdated`; then nothing of it is known any more.
  "AccountErased",
  "AccountErasureCancelled",
  "AccountErasureRequested",
  "AccountExportReady",
  "AccountExportRequested",
  "AccountFollowed",
  "AccountUnfollowed",
  "AuthMethodRemoved",
  "CalendarParticipantRemoved",
  "CalendarParticipationChanged",
  "CollectionCreated",
  "CollectionDeleted",
  "CollectionNodeAccepted",
  "CollectionNodeAdded",
  "CollectionNodeRemoved",
  "CollectionNodeSubmitted",
  "CollectionPostAccepted",
  "CollectionPostAdded",
  "CollectionPostRemoved",
  "CollectionPostSubmitted",
  "CollectionUpdated",
  "EmailAddressAdded",
  "EmailAddressRemoved",
  "EmailAddressVerified",
  "IdentityElsewhereAdded",
  "InitialAccessTokenCreated",
  "InitialAccessTokenRevoked",
  "InstanceImageUpdated",
  // What is about the values of properties; the page is logged as updated beside it.
  "NodeFieldsDeleted",
  "OAuthClientCreated",
  "OAuthClientDeleted",
  "OAuthClientRegistered",
  "OAuthClientRegistrationChanged",
  "OAuthClientUnregistered",
  "OAuthClientUpdated",
  "OAuthTokenReused",
  "OAuthTokenRevoked",
  "PasskeyAdded",
  "PasswordResetEmailSent",
  "PasswordResetTokenIssued",
  // Nobody is told of what they may not read.
  "PostHeldForReview",
  "RemoteConnectionConnected",
  "RemoteConnectionCreated",
  "RemoteConnectionDeleted",
  "RoleAssigned",
  "RoleCreated",
  "RoleDeleted",
  "PluginActivated",
  "PluginAdded",
  "PluginConfigured",
  "PluginDeactivated",
  "PluginRemoved",
  "PluginTokenCycled",
  "PluginUpdated",
  "RoleUnassigned",
  "RoleUpdated",
  "RolesReordered",
  "ThemeReplaced",
  // The reply is logged as published beside it.
  "ThreadReplyRevealed",
  "WebhookCreated",
  "WebhookDeleted",
  "WebhookDisabled",
  "WebhookSecretReplaced",
  "WebhookUpdated"
] as const satisfies ReadonlyArray<DomainEvent["_tag"]>

type Silent = (typeof silent)[number]

/** An event that others may be told of. */
export type TellingEvent = Exclude<DomainEvent, { readonly _tag: Silent }>

const isSilent = (tag: string): boolean => silent.some((one) => one === tag)

export const isTelling = (event: DomainEvent): event is TellingEvent => !isSilent(event._tag)

/** The tags of all events that others may be told of. */
export const tellingTags: ReadonlyArray<string> = declaredEvents.map(tagOf).filter((tag) => !isSilent(tag))

/** A change that an event tells of, and who may know of it. */
export interface Told {
  readonly change: Change
  readonly audience: Audience
}

const everyone: Audience = { _tag: "Everyone" }
const nobody: Audience = { _tag: "Nobody" }

/** Who may read a post that stood so; nobody if that is not known, or if it had been deleted before. */
const ofPost = (id: PostId, threadId: PostId, standing: PostStanding | null | undefined): Audience =>
  standing === undefined || standing === null ? nobody : { _tag: "Post", id, threadId, standing }

const ofNode = (id: NodeId, standing: Standing | undefined): Audience =>
  standing === undefined ? nobody : { _tag: "Node", id, standing }

const ofCalendarEvent = (id: CalendarEventId, standing: CalendarStanding | undefined): Audience =>
  standing === undefined ? nobody : { _tag: "CalendarEvent", id, standing }

/** An account, and those who may read it. */
const ofAccount = (id: AccountId): Audience => ({
  _tag: "Account",
  id,
  permission: undefined,
  itself: "always"
})

const ofNote = (id: AccountId): Audience => ({
  _tag: "Account",
  id,
  permission: "VIEW_MODERATION_NOTES",
  itself: "as administrator"
})

const ofWarning = (id: AccountId): Audience => ({
  _tag: "Account",
  id,
  permission: "MANAGE_WARNINGS",
  itself: "always"
})

const ofReport = (reporter: AccountId | undefined): Audience => ({
  _tag: "Holders",
  permission: "MANAGE_REPORTS",
  account: reporter
})

const ofSettings: Audience = { _tag: "Holders", permission: "MANAGE_SETTINGS", account: undefined }

type WithThread = Extract<TellingEvent, { readonly _tag: `Thread${string}`; readonly id: unknown }>

const thread = <Name extends Change["event"]>(name: Name, { id, standing }: WithThread) => ({
  change: { event: name, id },
  audience: ofPost(id, id, standing)
})

type WithReply = Exclude<
  Extract<TellingEvent, { readonly reply_id: PostId }>,
  { readonly _tag: "ThreadReplyCreated" }
>

const reply = <Name extends Change["event"]>(name: Name, { reply_id, standing, thread_id }: WithReply) => ({
  change: { event: name, thread_id, reply_id },
  audience: ofPost(reply_id, thread_id, standing)
})

type WithPost = Extract<TellingEvent, { readonly root_post_id: unknown }>

const post = <Name extends Change["event"]>(name: Name, { post_id, root_post_id, standing }: WithPost) => ({
  change: { event: name, post_id, root_post_id },
  audience: ofPost(post_id, root_post_id, standing)
})

type WithNode = Extract<TellingEvent, { readonly _tag: `Node${string}`; readonly slug: unknown }>

const node = <Name extends Change["event"]>(name: Name, { id, slug, standing }: WithNode) => ({
  change: { event: name, id, slug },
  audience: ofNode(id, standing)
})

type WithDraft = Extract<TellingEvent, { readonly version_id: unknown }>

const draft = <Name extends Change["event"]>(name: Name, event: WithDraft) => {
  const { _tag, author_id, node_id, node_slug, standing, version_id } = event
  const isApplied = _tag === "NodeVersionDraftApplied"
  const audience: Audience =
    standing === undefined
      ? nobody
      : { _tag: "Version", id: version_id, authorId: author_id, node: standing, isApplied }
  return { change: { event: name, node_id, node_slug, version_id, author_id }, audience }
}

type WithCalendarEvent = Extract<TellingEvent, { readonly _tag: `Calendar${string}` }>

const activity = <Name extends Change["event"]>(name: Name, { id, standing }: WithCalendarEvent) => ({
  change: { event: name, id },
  audience: ofCalendarEvent(id, standing)
})

const account = <Name extends Change["event"]>(name: Name, { id }: { readonly id: AccountId }) => ({
  change: { event: name, id },
  audience: ofAccount(id)
})

const mentionOf = ({ by, mentioned, reply_id, standing, thread_id }: MemberMentioned): Told => ({
  change: {
    event: "EventMemberMentioned",
    by,
    source: reply_id === undefined ? { kind: "thread", id: thread_id } : { kind: "reply", id: reply_id },
    item: { kind: "profile", id: mentioned }
  },
  audience: ofPost(reply_id ?? thread_id, thread_id, standing)
})

const createdReply = ({ _tag: _, standing, ...ids }: ThreadReplyCreated): Told => ({
  change: { event: "EventThreadReplyCreated", ...ids },
  audience: ofPost(ids.reply_id, ids.thread_id, standing)
})

/**
 * What an event tells others of, and who of them may know. An event of an older release may lack what others are told:
 * nobody is told of that one. Each event tells of one change at most, so that the place of an event in the log is that
 * of its change.
 */
export const toldOf = Match.typeTags<TellingEvent, Told | undefined>()({
  ThreadPublished: (event) => thread("EventThreadPublished", event),
  ThreadUnpublished: (event) => thread("EventThreadUnpublished", event),
  ThreadUpdated: (event) => thread("EventThreadUpdated", event),
  ThreadDeleted: (event) => thread("EventThreadDeleted", event),
  ThreadReplyCreated: createdReply,
  ThreadReplyUpdated: (event) => reply("EventThreadReplyUpdated", event),
  ThreadReplyDeleted: (event) => reply("EventThreadReplyDeleted", event),
  ThreadReplyPublished: (event) => reply("EventThreadReplyPublished", event),
  ThreadReplyUnpublished: (event) => reply("EventThreadReplyUnpublished", event),
  PostLiked: (event) => post("EventPostLiked", event),
  PostUnliked: (event) => post("EventPostUnliked", event),
  PostReacted: (event) => post("EventPostReacted", event),
  PostUnreacted: (event) => post("EventPostUnreacted", event),
  CategoryUpdated: ({ id, slug }) => ({
    change: { event: "EventCategoryUpdated", id, slug },
    audience: everyone
  }),
  CategoryDeleted: ({ id, slug }) => ({
    change: { event: "EventCategoryDeleted", id, slug },
    audience: everyone
  }),
  MemberMentioned: mentionOf,
  NodeCreated: (event) => node("EventNodeCreated", event),
  NodeUpdated: (event) => node("EventNodeUpdated", event),
  NodeDeleted: (event) => node("EventNodeDeleted", event),
  NodePublished: (event) => node("EventNodePublished", event),
  NodeSubmittedForReview: (event) => node("EventNodeSubmittedForReview", event),
  NodeUnpublished: (event) => node("EventNodeUnpublished", event),
  NodeVersionDraftCreated: (event) => draft("EventNodeVersionDraftCreated", event),
  NodeVersionDraftUpdated: (event) => draft("EventNodeVersionDraftUpdated", event),
  NodeVersionDraftDeleted: (event) => draft("EventNodeVersionDraftDeleted", event),
  NodeVersionDraftApplied: (event) => draft("EventNodeVersionDraftApplied", event),
  AccountCreated: (event) => account("EventAccountCreated", event),
  AccountUpdated: (event) => account("EventAccountUpdated", event),
  AccountSuspended: (event) => account("EventAccountSuspended", event),
  AccountUnsuspended: (event) => account("EventAccountUnsuspended", event),
  ModerationNoteCreated: ({ account_id, note_id }) => ({
    change: { event: "EventModerationNoteCreated", account_id, note_id },
    audience: ofNote(account_id)
  }),
  ModerationNoteDeleted: ({ account_id, note_id }) => ({
    change: { event: "EventModerationNoteDeleted", account_id, note_id },
    audience: ofNote(account_id)
  }),
  AccountWarned: ({ _tag: _, author_id, ...ids }) =>
    author_id === undefined
      ? undefined
      : { change: { event: "EventAccountWarned", author_id, ...ids }, audience: ofWarning(ids.account_id) },
  AccountWarningDeleted: ({ _tag: _, author_id, ...ids }) =>
    author_id === undefined
      ? undefined
      : {
          change: { event: "EventAccountWarningDeleted", author_id, ...ids },
          audience: ofWarning(ids.account_id)
        },
  AccountWarningUpdated: ({ _tag: _, author_id, ...change }) =>
    author_id === undefined
      ? undefined
      : {
          change: { event: "EventAccountWarningUpdated", author_id, ...change },
          audience: ofWarning(change.account_id)
        },
  ReportCreated: ({ _tag: _, repeats: _repeats, ...report }) => ({
    change: { event: "EventReportCreated", ...report },
    audience: ofReport(report.reported_by)
  }),
  ReportUpdated: ({ _tag: _, repeats: _repeats, ...report }) => ({
    change: { event: "EventReportUpdated", ...report },
    audience: ofReport(report.reported_by)
  }),
  CalendarEventCreated: (event) => activity("EventActivityCreated", event),
  CalendarEventUpdated: (event) => activity("EventActivityUpdated", event),
  CalendarEventDeleted: (event) => activity("EventActivityDeleted", event),
  CalendarEventPublished: (event) => activity("EventActivityPublished", event),
  SettingsUpdated: ({ settings }) =>
    settings === undefined
      ? undefined
      : { change: { event: "EventSettingsUpdated", settings }, audience: ofSettings }
})
