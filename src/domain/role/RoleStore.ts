/** What the role rules need from storage. */
import { Context, type Effect, type Option } from "effect"
import type { Role } from "./Role.ts"

export class RoleStore extends Context.Service<
  RoleStore,
  {
    /** All roles, highest first: Admin, those an administrator made, Member, Guest. */
    readonly list: Effect.Effect<ReadonlyArray<Role>>
    readonly find: (id: string) => Effect.Effect<Option.Option<Role>>
  }
>()("forum/domain/RoleStore") {}
