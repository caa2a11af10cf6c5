import { Duration, Effect } from "effect"
import { ClientDocuments } from "../../../domain/oauthdocument/ClientDocuments.ts"
import * as DocumentClientStoreSql from "../../../persistence/oauthclient/DocumentClientStoreSql.ts"
import { type Area, empty } from "./Area.ts"

/** Clients of OAuth that are named by the address of a document about them. */
export const oauthdocument = {
  ...empty,
  stores: DocumentClientStoreSql.layer,
  services: ClientDocuments.layer,
  chores: Effect.all([
    Effect.map(ClientDocuments, ({ clean }) => ({
      name: "delete clients with documents that nobody uses",
      every: Duration.hours(1),
      run: clean
    }))
  ])
} satisfies Area
