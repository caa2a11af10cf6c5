import { Effect } from "effect"
import * as LikeNotifications from "../../../domain/like/LikeNotifications.ts"
import { Likes } from "../../../domain/like/Likes.ts"
import * as LikesHandlers from "../../../http/like/LikesHandlers.ts"
import * as LikeStoreSql from "../../../persistence/like/LikeStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const like = {
  ...empty,
  stores: LikeStoreSql.layer,
  services: Likes.layer,
  handlers: LikesHandlers.layer,
  consumers: Effect.all([LikeNotifications.make])
} satisfies Area
