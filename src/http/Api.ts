import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessKeysApi, AdminAccessKeysApi } from "./accesskey/AccessKeysApi.ts"
import { AccountAdministrationApi } from "./account/AccountAdministrationApi.ts"
import { AccountsApi } from "./account/AccountsApi.ts"
import { AvatarsApi } from "./account/AvatarsApi.ts"
import { EmailAddressesApi } from "./account/EmailAddressesApi.ts"
import { AssetsApi } from "./asset/AssetsApi.ts"
import { AuthenticationApi } from "./authentication/AuthenticationApi.ts"
import { AuthMethodsApi } from "./authentication/AuthMethodsApi.ts"
import { EmailAuthenticationApi } from "./authentication/EmailAuthenticationApi.ts"
import { PasskeysApi } from "./authentication/PasskeysApi.ts"
import { PhoneApi } from "./authentication/PhoneApi.ts"
import { CalendarApi } from "./calendar/CalendarApi.ts"
import { CategoriesApi } from "./category/CategoriesApi.ts"
import { ChangesApi } from "./change/ChangesApi.ts"
import { CollectionsApi } from "./collection/CollectionsApi.ts"
import { CommonProblems } from "./contract/CommonProblems.ts"
import { declared } from "./contract/Operation.ts"
import { SignInsElsewhereApi } from "./elsewhere/SignInsElsewhereApi.ts"
import { AdminErasuresApi, ErasuresApi } from "./erasure/ErasuresApi.ts"
import { FeedsApi } from "./feed/FeedsApi.ts"
import { InstanceApi } from "./instance/InstanceApi.ts"
import { InstanceImagesApi } from "./instance/InstanceImagesApi.ts"
import { InvitationsApi } from "./invitation/InvitationsApi.ts"
import { NodesApi } from "./library/NodesApi.ts"
import { LikesApi } from "./like/LikesApi.ts"
import { LinksApi } from "./link/LinksApi.ts"
import { MailApi } from "./mail/MailApi.ts"
import { ModerationActionsApi } from "./moderation/ModerationActionsApi.ts"
import { ModerationApi } from "./moderation/ModerationApi.ts"
import { ModerationNotesApi } from "./moderation/ModerationNotesApi.ts"
import { WarningsApi } from "./moderation/WarningsApi.ts"
import { NotificationsApi } from "./notification/NotificationsApi.ts"
import { InitialAccessTokensApi } from "./oauthclient/InitialAccessTokensApi.ts"
import { AdminOAuthClientsApi, OAuthClientsApi } from "./oauthclient/OAuthClientsApi.ts"
import { RegistrationsApi } from "./oauthclient/RegistrationsApi.ts"
import { AuthorisationsApi } from "./oauthcode/AuthorisationsApi.ts"
import { AdminDevicesApi, DevicesApi } from "./oauthdevice/DevicesApi.ts"
import { AdminRefreshTokensApi, OwnRefreshTokensApi } from "./oauthgrant/RefreshTokensApi.ts"
import { OAuthTokensApi } from "./oauthtoken/OAuthTokensApi.ts"
import { TokenStatusApi } from "./oauthtoken/TokenStatusApi.ts"
import { UserInfoApi } from "./oauthtoken/UserInfoApi.ts"
import { OwnDataApi } from "./owndata/OwnDataApi.ts"
import { PluginRunsApi } from "./plugin/PluginRunsApi.ts"
import { PluginsApi } from "./plugin/PluginsApi.ts"
import { ProfilesApi } from "./profile/ProfilesApi.ts"
import { ReactionsApi } from "./reaction/ReactionsApi.ts"
import { RemoteCallbackApi, RemoteResourcesApi } from "./remoteresource/RemoteResourcesApi.ts"
import { ReportsApi } from "./report/ReportsApi.ts"
import { AccountRolesApi } from "./role/AccountRolesApi.ts"
import { RolesApi } from "./role/RolesApi.ts"
import { SearchApi } from "./search/SearchApi.ts"
import { SettingsApi } from "./settings/SettingsApi.ts"
import { SigningApi } from "./signing/SigningApi.ts"
import { TagsApi } from "./tag/TagsApi.ts"
import { ThemeApi } from "./theme/ThemeApi.ts"
import { PostsApi } from "./thread/PostsApi.ts"
import { RepliesApi, ThreadsApi } from "./thread/ThreadsApi.ts"
import { WebhookDeliveriesApi } from "./webhook/WebhookDeliveriesApi.ts"
import { WebhooksApi } from "./webhook/WebhooksApi.ts"

const groups = declared(
  InstanceApi,
  AuthenticationApi,
  AccountsApi,
  RolesApi,
  CategoriesApi,
  ThreadsApi,
  RepliesApi,
  PostsApi,
  AssetsApi,
  NotificationsApi,
  CollectionsApi,
  CalendarApi,
  ReactionsApi,
  LikesApi,
  TagsApi,
  AvatarsApi,
  ProfilesApi,
  LinksApi,
  NodesApi,
  SearchApi,
  SettingsApi,
  InvitationsApi,
  ModerationApi,
  ModerationNotesApi,
  ReportsApi,
  AccountRolesApi,
  AccessKeysApi,
  AdminAccessKeysApi,
  OAuthClientsApi,
  AdminOAuthClientsApi,
  AuthorisationsApi,
  DevicesApi,
  AdminDevicesApi,
  OAuthTokensApi,
  TokenStatusApi,
  OwnRefreshTokensApi,
  AdminRefreshTokensApi,
  InitialAccessTokensApi,
  RegistrationsApi,
  UserInfoApi,
  InstanceImagesApi,
  ThemeApi,
  PasskeysApi,
  SignInsElsewhereApi,
  AuthMethodsApi,
  MailApi,
  EmailAuthenticationApi,
  PhoneApi,
  EmailAddressesApi,
  AccountAdministrationApi,
  WarningsApi,
  ModerationActionsApi,
  SigningApi,
  RemoteResourcesApi,
  RemoteCallbackApi,
  PluginsApi,
  PluginRunsApi,
  ChangesApi,
  WebhooksApi,
  WebhookDeliveriesApi,
  FeedsApi,
  ErasuresApi,
  AdminErasuresApi,
  OwnDataApi
)

type Prefixed = HttpApiGroup.AddPrefix<(typeof groups)[number], "/api">

// The compiler writes declarations of inferred types in full, and has a limit for that; this type it writes as it is.
const definition: HttpApi.HttpApi<
  "forum",
  HttpApiGroup.AddMiddleware<Prefixed, CommonProblems>
> = HttpApi.make("forum")
  .add(...groups)
  .prefix("/api")
  .middleware(CommonProblems)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Forum service",
      version: "0.1.0",
      description:
        "A headless forum and knowledge library. Sign up or in with `/auth/password/…` to get the session cookie, or send an access key as a bearer token. Every failure is a problem (RFC 9457); its `type` is the address of its explanation. What a network may ask for in a period is limited: every answer says in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` how it stands. A request costs 1 unless `x-rate-limit-cost` says otherwise. Answers may be kept as far as their operation declares `Cache-Control`; all others have `private, no-store`.",
      license: { name: "MIT", url: "https://opensource.org/license/mit" }
    })
  )

/** The definition of the HTTP API. The server, the client and the description derive from it. */
export class ForumApi extends definition {}
