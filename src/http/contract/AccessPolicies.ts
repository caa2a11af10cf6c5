/** What an operation requires of its caller, as its endpoint declares it. */
import { Context, Option } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { Access, AccountAccess, GuestAccess } from "../../domain/shared/Access.ts"
import {
  AccessTokenRefused,
  AccessTokenRequired,
  AccountSuspended,
  CookieRequired,
  type CurrentAccount,
  type CurrentActor,
  Forbidden,
  Unauthenticated
} from "../../domain/shared/Actor.ts"
import type { Permission } from "../../domain/shared/Permission.ts"

export const sessionCookie = "forum-session"

/** The OpenAPI security schemes; names as clients know them. */
export const securitySchemes = {
  browser: {
    type: "apiKey",
    in: "cookie",
    name: sessionCookie,
    description: "The session of a browser, which begins by signing up or in."
  },
  access_key: {
    type: "http",
    scheme: "bearer",
    description: "An access key. It has the permissions of the account that it belongs to."
  },
  access_token: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "An access token of OAuth, which a client gets from the token endpoint. Of the permissions of the account, it has those that are among its scopes."
  }
} as const

/** Marks an operation that answers all callers alike: it does not ask who they are. */
export class OpenOperation extends HttpApiMiddleware.Service<OpenOperation>()("forum/http/OpenOperation") {}

/** How access to an operation is refused that guests may call. */
export const guestProblems = [Forbidden, AccountSuspended, CookieRequired, AccessTokenRefused] as const

/** How access to an operation for accounts is refused. */
export const accountProblems = [Unauthenticated, AccessTokenRequired, ...guestProblems] as const

/** Identifies the caller of an operation that guests may call, and checks its access. */
export class GuestOperation extends HttpApiMiddleware.Service<GuestOperation, { provides: CurrentActor }>()(
  "forum/http/GuestOperation",
  { error: guestProblems }
) {}

/** Identifies the caller of an operation for accounts, and checks its access. */
export class AccountOperation extends HttpApiMiddleware.Service<
  AccountOperation,
  { provides: CurrentActor | CurrentAccount }
>()("forum/http/AccountOperation", {
  error: accountProblems
}) {}

/** The access that an endpoint for guests declares. */
export class DeclaredGuestAccess extends Context.Service<DeclaredGuestAccess, GuestAccess>()(
  "forum/http/DeclaredGuestAccess"
) {}

/** The access that an endpoint for accounts declares. */
export class DeclaredAccountAccess extends Context.Service<DeclaredAccountAccess, AccountAccess>()(
  "forum/http/DeclaredAccountAccess"
) {}

/** The access that an endpoint declares, for guests or for accounts. */
export const declaredAccess = (annotations: Context.Context<never>): Option.Option<Access> =>
  Option.orElse(Context.getOption(annotations, DeclaredGuestAccess), () =>
    Context.getOption(annotations, DeclaredAccountAccess)
  )

/** Who may call an operation, and the middleware that checks it. */
export interface AccessPolicy<Id, Middleware, Declared> {
  readonly access: Access
  readonly annotations: Context.Context<Declared>
  readonly middleware: Context.Key<Id, Middleware>
}

const forGuests = (access: GuestAccess) => ({
  access,
  annotations: Context.make(DeclaredGuestAccess, access),
  middleware: GuestOperation
})

const forAccounts = (access: AccountAccess) => ({
  access,
  annotations: Context.make(DeclaredAccountAccess, access),
  middleware: AccountOperation
})

const open: GuestAccess = { _tag: "Public" }

/** Every caller, and the answer does not depend on who it is. */
export const everyone = {
  access: open,
  annotations: Context.make(DeclaredGuestAccess, open),
  middleware: OpenOperation
}
/** Every caller, including suspended accounts. */
export const anyone = forGuests(open)
/** Every caller; accounts only with the session cookie. */
export const anyoneByCookie = forGuests({ _tag: "Public", takes: "cookie" })
/** Every caller; accounts not with an access token of OAuth. */
export const anyoneByCookieOrKey = forGuests({ _tag: "Public", takes: "cookie or key" })
/** Accounts that hold the permission or the alternative, and guests if the Guest role holds it. */
export const readersWith = (permission: Permission, alternative?: Permission) =>
  forGuests({ _tag: "Reader", permission, ...(alternative === undefined ? {} : { alternative }) })
/** Any account. */
export const accounts = forAccounts({ _tag: "SignedIn" })
/** Any account, only with the session cookie. */
export const accountsByCookie = forAccounts({ _tag: "SignedIn", takes: "cookie" })
/** Any account, but not with an access token of OAuth. */
export const accountsByCookieOrKey = forAccounts({ _tag: "SignedIn", takes: "cookie or key" })
/** Any account, only with an access token of OAuth. */
export const accountsByToken = forAccounts({ _tag: "SignedIn", takes: "token" })
/** Accounts that hold the permission or the alternative. */
export const membersWith = (permission: Permission, alternative?: Permission) =>
  forAccounts({ _tag: "Member", permission, ...(alternative === undefined ? {} : { alternative }) })
/** Accounts that hold both permissions. */
export const membersWithBoth = (permission: Permission, also: Permission) =>
  forAccounts({ _tag: "Member", permission, also })
/** Accounts that hold the permission or the alternative, but that guests without either are refused as accounts are. */
export const contributorsWith = (permission: Permission, alternative?: Permission) =>
  forAccounts({ _tag: "Contributor", permission, ...(alternative === undefined ? {} : { alternative }) })
/** Accounts that hold the permission, only with the session cookie. */
export const membersByCookieWith = (permission: Permission) =>
  forAccounts({ _tag: "Member", permission, takes: "cookie" })
