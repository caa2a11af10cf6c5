import { Reactions } from "../../../domain/reaction/Reactions.ts"
import * as ReactionsHandlers from "../../../http/reaction/ReactionsHandlers.ts"
import * as ReactionStoreSql from "../../../persistence/reaction/ReactionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

export const reaction = {
  ...empty,
  stores: ReactionStoreSql.layer,
  services: Reactions.layer,
  handlers: ReactionsHandlers.layer
} satisfies Area
