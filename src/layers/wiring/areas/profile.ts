import { Effect } from "effect"
import * as FollowNotifications from "../../../domain/notification/FollowNotifications.ts"
import { Profiles } from "../../../domain/profile/Profiles.ts"
import * as ProfilesHandlers from "../../../http/profile/ProfilesHandlers.ts"
import * as ProfileStoreSql from "../../../persistence/profile/ProfileStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const profile = {
  ...empty,
  stores: ProfileStoreSql.layer,
  services: Profiles.layer,
  handlers: ProfilesHandlers.layer,
  consumers: Effect.all([FollowNotifications.make])
} satisfies Area
