/** Giving up an account at another service, for which the area above has the storage. */
import { Context, type Effect } from "effect"

export class IdentityRemoval extends Context.Service<
  IdentityRemoval,
  { readonly delete: (id: string) => Effect.Effect<void> }
>()("forum/domain/IdentityRemoval") {}
