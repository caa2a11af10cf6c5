/** What compares each list and each number of the API with single reads, or why nothing has to. */
import type { comparisons } from "./comparisons.ts"

export type ComparisonName = keyof ReturnType<typeof comparisons>

/** By what `description.ts` calls them. */
export const compared: Readonly<Record<ComparisonName, ReadonlyArray<string>>> = {
  threads: ["ThreadListResult.pages", "ThreadListResult.threads[]"],
  replies: [
    "PaginatedReplyList.pages",
    "PaginatedReplyList.replies[]",
    "ReadStatus.replies_since",
    "ReplyStatus.replied",
    "ReplyStatus.replies"
  ],
  locations: ["PostLocation.index", "PostLocation.page", "PostLocation.position"],
  likes: [
    "LikeData.likes",
    "LikePostGetResult.likes[]",
    "ProfileLikeListResult.likes[]",
    "ProfileLikeListResult.pages",
    "PublicProfile.like_score"
  ],
  reacts: ["Post.reacts[]", "Reply.reacts[]", "Thread.reacts[]"],
  categories: ["Category.children[]", "Category.postCount", "CategoryListResult.categories[]"],
  tags: ["Tag.item_count", "Tag.items[]", "TagListResult.pages", "TagListResult.tags[]"],
  links: [
    "Link.assets[]",
    "Link.nodes[]",
    "Link.posts[]",
    "LinkListResult.links[]",
    "LinkListResult.pages",
    "Post.body_links[]",
    "Reply.body_links[]",
    "Thread.body_links[]"
  ],
  nodes: [
    "Node.children[]",
    "NodeListResult.nodes[]",
    "NodeListResult.pages",
    "NodeTreeItem.children[]",
    "NodeTreeResult.nodes[]",
    "NodeTreeResult.pages",
    "NodeWithChildren.children[]"
  ],
  versions: [
    "NodeDraftListResult.drafts[]",
    "NodeDraftListResult.pages",
    "NodeVersionListResult.pages",
    "NodeVersionListResult.versions[]"
  ],
  searches: ["DatagraphMatchResult.items[]", "DatagraphSearchResult.items[]", "DatagraphSearchResult.pages"],
  collections: [
    "Collection.item_count",
    "CollectionListResult.collections[]",
    "CollectionListResult.pages",
    "CollectionWithItems.items[]"
  ],
  collected: ["CollectionStatus.in_collections"],
  events: ["Event.participants[]", "EventListResult.events[]", "EventListResult.pages"],
  profiles: [
    "PublicProfile.followers",
    "PublicProfile.following",
    "PublicProfileFollowersResult.followers[]",
    "PublicProfileFollowersResult.pages",
    "PublicProfileFollowingResult.following[]",
    "PublicProfileFollowingResult.pages",
    "PublicProfileListResult.pages",
    "PublicProfileListResult.profiles[]"
  ],
  notifications: [
    "Account.notifications",
    "NotificationListResult.notifications[]",
    "NotificationListResult.pages"
  ],
  reports: ["ReportListResult.pages", "ReportListResult.reports[]"],
  invitations: ["InvitationListResult.invitations[]", "InvitationListResult.pages"],
  keys: ["AccessKeyListResult.keys[]", "OwnedAccessKeyListResult.keys[]"],
  administration: [
    "AccountListResult.accounts[]",
    "AccountListResult.pages",
    "AuditEventAccountContentPurged.included[]",
    "AuditEventListResult.events[]",
    "AuditEventListResult.pages",
    "ModerationNoteListResult.notes[]",
    "RoleListResult.roles[]",
    "WarningListResult.total",
    "WarningListResult.warnings[]"
  ],
  everywhere: [
    "EventReference.participants[]",
    "Link.recomentations[]",
    "Node.recomentations[]",
    "Node.tags[]",
    "NodeReference.recomentations[]",
    "NodeReference.tags[]",
    "NodeTreeItem.recomentations[]",
    "NodeTreeItem.tags[]",
    "NodeWithChildren.recomentations[]",
    "NodeWithChildren.tags[]",
    "PostInPart.body_links[]",
    "PostInPart.reacts[]",
    "PostReference.reacts[]",
    "ProfileReference.roles[]",
    "PublicProfile.interests[]",
    "PublicProfile.roles[]",
    "QuotedReply.body_links[]",
    "QuotedReply.reacts[]",
    "TagReference.item_count",
    "Thread.recomentations[]",
    "Thread.tags[]",
    "ThreadInPart.body_links[]",
    "ThreadInPart.reacts[]",
    "ThreadInPart.recomentations[]",
    "ThreadInPart.tags[]",
    "ThreadReference.body_links[]",
    "ThreadReference.reacts[]",
    "ThreadReference.tags[]"
  ]
}

/** Why nothing is compared: these are not counted or gathered from what some may read and others not. */
export type Reason =
  /** What the administration set, as it set it. */
  | "settings"
  /** What the maker of a thing said of it. */
  | "said by its maker"
  /** What one account has of its own. */
  | "of one account"
  /** What the service and its protocols are made of. */
  | "of the service"
  /** What is in a file. */
  | "of a file"
  /** Without a model there is nothing. */
  | "not offered"
  /** Of each it is decided by itself who may know of it, which the tests of the area compare with single reads. */
  | "decided one by one"
  /** The tests of the area know every entry, as nobody else reads any. */
  | "for the administration alone"

export const notCompared: Readonly<Record<Reason, ReadonlyArray<string>>> = {
  "decided one by one": ["ChangeListResult.changes[]"],
  settings: [
    "AccountRole.permissions[]",
    "AdminSettingsProps.reserved_handles[]",
    "Category.sort",
    "ClientIPServiceSettings.trusted_proxy_cidrs[]",
    "ModerationServiceSettings.reply_body_length_max",
    "ModerationServiceSettings.signature_length_max",
    "ModerationServiceSettings.thread_body_length_max",
    "ModerationServiceSettings.word_block_list[]",
    "ModerationServiceSettings.word_report_list[]",
    "RateLimitServiceSettings.cost_overrides.*",
    "RateLimitServiceSettings.exempt_cidrs[]",
    "RateLimitServiceSettings.rate_limit",
    "RateLimitServiceSettings.rate_limit_bucket",
    "RateLimitServiceSettings.rate_limit_guest_cost",
    "RateLimitServiceSettings.rate_limit_period",
    "Role.permissions[]",
    "Theme.scripts[]",
    "Theme.stylesheets[]"
  ],
  "said by its maker": [
    "Event.capacity",
    "EventLocationPhysical.latitude",
    "EventLocationPhysical.longitude",
    "EventReference.capacity",
    "Node.assets[]",
    "Node.child_property_schema[]",
    "Node.properties[]",
    "NodeDraft.properties[]",
    "NodeReference.assets[]",
    "NodeReference.child_property_schema[]",
    // Pages that are referred to are shown without those within them.
    "NodeReference.children[]",
    "NodeReference.properties[]",
    "NodeTreeItem.assets[]",
    "NodeTreeItem.child_property_schema[]",
    "NodeTreeItem.properties[]",
    "NodeVersion.properties[]",
    "NodeWithChildren.assets[]",
    "NodeWithChildren.child_property_schema[]",
    "NodeWithChildren.properties[]",
    "Post.assets[]",
    "PostInPart.assets[]",
    "PostReference.assets[]",
    "PropertyListResult.properties[]",
    "PropertySchemaListResult.properties[]",
    "PublicProfile.links[]",
    "QuotedReply.assets[]",
    "Reply.assets[]",
    "Thread.assets[]",
    "Thread.pinned",
    "ThreadInPart.assets[]",
    "ThreadInPart.pinned",
    "ThreadReference.assets[]",
    "ThreadReference.pinned"
  ],
  "of one account": [
    "Account.auth_services[]",
    "Account.email_addresses[]",
    "Account.links[]",
    "Account.roles[]",
    "AccountAuthMethods.active[]",
    "AccountAuthMethods.available[]",
    "OAuthAuthoriseConsent.granted_scopes[]",
    "OAuthAuthoriseConsent.requested_scopes[]",
    "OAuthDeviceConsent.granted_scopes[]",
    "OAuthDeviceConsent.requested_scopes[]",
    "OAuthRefreshTokenListResult.pages",
    "OAuthRefreshTokenListResult.tokens[]",
    "PublicKeyCredentialCreationOptions.excludeCredentials[]",
    "PublicKeyCredentialDescriptor.transports[]",
    "PublicKeyCredentialRequestOptions.allowCredentials[]"
  ],
  "of the service": [
    "AdminSettingsProps.capabilities[]",
    "AuthProviderListResult.providers[]",
    "Info.capabilities[]",
    "OAuthJWKS.keys[]",
    "OAuthIntrospection.exp",
    "OAuthIntrospection.iat",
    "OAuthDeviceAuthorisation.expires_in",
    "OAuthDeviceAuthorisation.interval",
    "OAuthToken.expires_in",
    "ProblemExplanation.status",
    "ProblemListResult.problems[]",
    "PublicKeyCredentialCreationOptions.pubKeyCredParams[]",
    "PublicKeyCredentialCreationOptions.timeout",
    "PublicKeyCredentialParameters.alg",
    "PublicKeyCredentialRequestOptions.timeout"
  ],
  "of a file": ["AccountExport.size", "Asset.height", "Asset.width", "ThemeAsset.size"],
  "not offered": ["NodeGenerateTagsResult.tags[]"],
  "for the administration alone": [
    "AuditEventInternalError.occurrences",
    "AuditEventNodePropertyFieldsDeleted.names[]",
    "AuditEventNodePropertyFieldsDeleted.values",
    "AuditEventOAuthClientUpdated.changed[]",
    "AuditEventWebhookUpdated.changed[]",
    "EmailQueueItem.attempts[]",
    "EmailQueueListResult.emails[]",
    "EmailQueueListResult.pages",
    "OAuthClient.allowed_grants[]",
    "OAuthClient.allowed_scopes[]",
    "OAuthClient.redirect_uris[]",
    "OAuthClientCreated.allowed_grants[]",
    "OAuthClientCreated.allowed_scopes[]",
    "OAuthClientCreated.redirect_uris[]",
    "OAuthClientListResult.clients[]",
    "OAuthAuthorizationServerMetadata.code_challenge_methods_supported[]",
    "OAuthAuthorizationServerMetadata.grant_types_supported[]",
    "OAuthAuthorizationServerMetadata.response_types_supported[]",
    "OAuthAuthorizationServerMetadata.token_endpoint_auth_methods_supported[]",
    "OAuthProtectedResourceMetadata.authorization_servers[]",
    "OAuthProtectedResourceMetadata.bearer_methods_supported[]",
    "OAuthRemoteConnection.redirect_uris[]",
    "OAuthRemoteConnectionListResult.connections[]",
    "Plugin.manifest_omitted[]",
    "PluginConfigurationFieldNumber.default",
    "PluginConfigurationSchema.fields[]",
    "PluginListResult.plugins[]",
    "Webhook.events[]",
    "Webhook.waiting",
    "WebhookAttempt.milliseconds",
    "WebhookAttempt.status",
    "WebhookDelivery.attempt_count",
    "WebhookDeliveryListResult.deliveries[]",
    "WebhookDeliveryListResult.pages",
    "WebhookDeliveryWithAttempts.attempt_count",
    "WebhookDeliveryWithAttempts.attempts[]",
    "WebhookIssued.events[]",
    "WebhookIssued.waiting",
    "WebhookListResult.pages",
    "WebhookListResult.webhooks[]",
    "AuditEventInitialAccessTokenCreated.max_registrations",
    "OAuthClientRegistration.client_id_issued_at",
    "OAuthClientRegistration.client_secret_expires_at",
    "OAuthClientRegistration.grant_types[]",
    "OAuthClientRegistration.redirect_uris[]",
    "OAuthClientRegistration.response_types[]",
    "OAuthInitialAccessToken.max_registrations",
    "OAuthInitialAccessToken.registrations_used",
    "OAuthInitialAccessTokenIssued.max_registrations",
    "OAuthInitialAccessTokenIssued.registrations_used",
    "OAuthInitialAccessTokenListResult.initial_access_tokens[]",
    "OAuthDeviceAuthorisationListResult.device_authorisations[]",
    "OAuthDeviceAuthorisationRecord.poll_interval_seconds"
  ]
}

/** The operations that read a list or a number and that no comparison calls. */
export const notCalled: Readonly<Record<Reason, ReadonlyArray<string>>> = {
  "decided one by one": ["ChangeList"],
  settings: ["AdminSettingsGet", "AdminThemeGet", "ThemeGet"],
  "said by its maker": [],
  "of one account": [
    "AccountAuthProviderList",
    // The list of invitations is compared.
    "InvitationGet",
    // A draft is compared by its id.
    "NodeVersionDraftGet",
    "OAuthAuthoriseConsent",
    "OAuthDeviceConsent",
    "OAuthRefreshTokenList",
    "WebAuthnGetAssertion",
    "WebAuthnRequestCredential"
  ],
  "of the service": ["AuthProviderList", "GetInfo", "OAuthJWKS", "ProblemGet", "ProblemList"],
  "of a file": ["AccountExportGet"],
  "not offered": [],
  "for the administration alone": [
    "AdminOAuthClientGet",
    "AdminOAuthClientList",
    "AdminOAuthInitialAccessTokenList",
    "AdminOAuthDeviceAuthorisationList",
    "AdminOAuthRefreshTokenList",
    "EmailQueueList",
    "OAuthClientGet",
    "OAuthClientList",
    "OAuthRemoteCallback",
    "OAuthRemoteConnectionList",
    "OAuthClientRegistrationGet",
    "PluginGet",
    "PluginGetConfigurationSchema",
    "PluginList",
    "WebhookDeliveryGet",
    "WebhookDeliveryList",
    "WebhookGet",
    "WebhookList"
  ]
}
