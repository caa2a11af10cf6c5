/** What clients need from storage that are named by the address of a document. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { OAuthClientId } from "../shared/Id.ts"
import type { ClientValues, StoredClient } from "./OAuthClientStore.ts"

/** Such clients of an instance. The database holds this limit, too. */
export const documentClientsMax = 500

/** What the document of a client says of it. */
export interface DescribedClient extends Omit<ClientValues, "scopePolicy"> {
  readonly clientId: string
}

export class DocumentClientStore extends Context.Service<
  DocumentClientStore,
  {
    readonly find: (clientId: string) => Effect.Effect<Option.Option<StoredClient>>
    /**
     * Stores what a document says now. If there are as many clients as there may be, the one makes room that nobody uses
     * and whose document was fetched longest ago, if that was before an instant; nothing if none does.
     */
    readonly put: (
      client: DescribedClient,
      id: OAuthClientId,
      at: DateTime.Utc,
      unusedSince: DateTime.Utc
    ) => Effect.Effect<Option.Option<StoredClient>>
    /** Deletes clients that nobody uses and whose documents were not fetched since. */
    readonly deleteOld: (fetchedBefore: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/DocumentClientStore") {}
