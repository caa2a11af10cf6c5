/** What of the event log others are told of. */
import { Match } from "effect"
import { tagOf } from "../event/EventConsumer.ts"
import { type DomainEvent, declaredEvents } from "../event/EventLog.ts"
import type { MemberMentioned } from "../event/ThreadEvents.ts"
import type { Change } from "./Changes.ts"

/**
 * Events that nobody outside is told of. Those of roles and email addresses are logged together with `AccountUpdated`,
 * or with `AccountCreated` where the account is new.
 */
const silent = [
  "AccessKeyCreated",
  "AccessKeyRevoked",
  "AccountContentPurged",
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
  "ThreadReplyRevealed"
] as const satisfies ReadonlyArray<DomainEvent["_tag"]>

type Silent = (typeof silent)[number]

/** An event that others may be told of. */
export type TellingEvent = Exclude<DomainEvent, { readonly _tag: Silent }>

const isSilent = (tag: string): boolean => silent.some((one) => one === tag)

export const isTelling = (event: DomainEvent): event is TellingEvent => !isSilent(event._tag)

/** The tags of all events that others may be told of. */
export const tellingTags: ReadonlyArray<string> = declaredEvents.map(tagOf).filter((tag) => !isSilent(tag))

const mentionOf = ({ by, mentioned, reply_id, thread_id }: MemberMentioned): Change => ({
  event: "EventMemberMentioned",
  by,
  source: reply_id === undefined ? { kind: "thread", id: thread_id } : { kind: "reply", id: reply_id },
  item: { kind: "profile", id: mentioned }
})

const draftOf = ({
  author_id,
  node_id,
  node_slug,
  version_id
}: Extract<TellingEvent, { readonly version_id: unknown }>) => ({ node_id, node_slug, version_id, author_id })

/**
 * The change that an event tells others of. An event of an older release may lack what others are told: nobody is told
 * of that one. Each event tells of one change at most, so that the place of an event in the log is that of its change.
 */
export const changeOf = Match.typeTags<TellingEvent, Change | undefined>()({
  ThreadPublished: ({ id }) => ({ event: "EventThreadPublished", id }),
  ThreadUnpublished: ({ id }) => ({ event: "EventThreadUnpublished", id }),
  ThreadUpdated: ({ id }) => ({ event: "EventThreadUpdated", id }),
  ThreadDeleted: ({ id }) => ({ event: "EventThreadDeleted", id }),
  ThreadReplyCreated: ({ _tag: _, ...ids }) => ({ event: "EventThreadReplyCreated", ...ids }),
  ThreadReplyUpdated: ({ thread_id, reply_id }) => ({
    event: "EventThreadReplyUpdated",
    thread_id,
    reply_id
  }),
  ThreadReplyDeleted: ({ thread_id, reply_id }) => ({
    event: "EventThreadReplyDeleted",
    thread_id,
    reply_id
  }),
  ThreadReplyPublished: ({ thread_id, reply_id }) => ({
    event: "EventThreadReplyPublished",
    thread_id,
    reply_id
  }),
  ThreadReplyUnpublished: ({ thread_id, reply_id }) => ({
    event: "EventThreadReplyUnpublished",
    thread_id,
    reply_id
  }),
  PostLiked: ({ post_id, root_post_id }) => ({ event: "EventPostLiked", post_id, root_post_id }),
  PostUnliked: ({ post_id, root_post_id }) => ({ event: "EventPostUnliked", post_id, root_post_id }),
  PostReacted: ({ post_id, root_post_id }) => ({ event: "EventPostReacted", post_id, root_post_id }),
  PostUnreacted: ({ post_id, root_post_id }) => ({ event: "EventPostUnreacted", post_id, root_post_id }),
  CategoryUpdated: ({ id, slug }) => ({ event: "EventCategoryUpdated", id, slug }),
  CategoryDeleted: ({ id, slug }) => ({ event: "EventCategoryDeleted", id, slug }),
  MemberMentioned: mentionOf,
  NodeCreated: ({ id, slug }) => ({ event: "EventNodeCreated", id, slug }),
  NodeUpdated: ({ id, slug }) => ({ event: "EventNodeUpdated", id, slug }),
  NodeDeleted: ({ id, slug }) => ({ event: "EventNodeDeleted", id, slug }),
  NodePublished: ({ id, slug }) => ({ event: "EventNodePublished", id, slug }),
  NodeSubmittedForReview: ({ id, slug }) => ({ event: "EventNodeSubmittedForReview", id, slug }),
  NodeUnpublished: ({ id, slug }) => ({ event: "EventNodeUnpublished", id, slug }),
  NodeVersionDraftCreated: (event) => ({ event: "EventNodeVersionDraftCreated", ...draftOf(event) }),
  NodeVersionDraftUpdated: (event) => ({ event: "EventNodeVersionDraftUpdated", ...draftOf(event) }),
  NodeVersionDraftDeleted: (event) => ({ event: "EventNodeVersionDraftDeleted", ...draftOf(event) }),
  NodeVersionDraftApplied: (event) => ({ event: "EventNodeVersionDraftApplied", ...draftOf(event) }),
  AccountCreated: ({ id }) => ({ event: "EventAccountCreated", id }),
  AccountUpdated: ({ id }) => ({ event: "EventAccountUpdated", id }),
  AccountSuspended: ({ id }) => ({ event: "EventAccountSuspended", id }),
  AccountUnsuspended: ({ id }) => ({ event: "EventAccountUnsuspended", id }),
  ModerationNoteCreated: ({ account_id, note_id }) => ({
    event: "EventModerationNoteCreated",
    account_id,
    note_id
  }),
  ModerationNoteDeleted: ({ account_id, note_id }) => ({
    event: "EventModerationNoteDeleted",
    account_id,
    note_id
  }),
  AccountWarned: ({ _tag: _, author_id, ...ids }) =>
    author_id === undefined ? undefined : { event: "EventAccountWarned", author_id, ...ids },
  AccountWarningDeleted: ({ _tag: _, author_id, ...ids }) =>
    author_id === undefined ? undefined : { event: "EventAccountWarningDeleted", author_id, ...ids },
  AccountWarningUpdated: ({ _tag: _, author_id, ...change }) =>
    author_id === undefined ? undefined : { event: "EventAccountWarningUpdated", author_id, ...change },
  ReportCreated: ({ _tag: _, repeats: _repeats, ...report }) => ({ event: "EventReportCreated", ...report }),
  ReportUpdated: ({ _tag: _, repeats: _repeats, ...report }) => ({ event: "EventReportUpdated", ...report }),
  CalendarEventCreated: ({ id }) => ({ event: "EventActivityCreated", id }),
  CalendarEventUpdated: ({ id }) => ({ event: "EventActivityUpdated", id }),
  CalendarEventDeleted: ({ id }) => ({ event: "EventActivityDeleted", id }),
  CalendarEventPublished: ({ id }) => ({ event: "EventActivityPublished", id }),
  SettingsUpdated: ({ settings }) =>
    settings === undefined ? undefined : { event: "EventSettingsUpdated", settings }
})
