/** The archive of the own data of an account, as it is read from storage. */
import { Context, type Stream } from "effect"
import type { AssetBytesUnavailable } from "../asset/Asset.ts"
import type { AccountId } from "../shared/Id.ts"

export class OwnDataArchives extends Context.Service<
  OwnDataArchives,
  {
    /** A zip in the format of exports, as all was at one moment; a few records and parts of files are in memory at a time. */
    readonly read: (account: AccountId) => Stream.Stream<Uint8Array, AssetBytesUnavailable>
  }
>()("forum/domain/OwnDataArchives") {}
