import { Context, type DateTime, type Effect } from "effect"
import type { AccountId, AssetId } from "../shared/Id.ts"
import type { ThemeList } from "./Theme.ts"

/** A file of the theme. */
export interface ThemeFile {
  readonly list: ThemeList
  readonly assetId: AssetId
  readonly integrity: string
}

/** Which files the theme has. */
export class ThemeStore extends Context.Service<
  ThemeStore,
  {
    /** The files of one theme, each list in its order. */
    readonly files: Effect.Effect<ReadonlyArray<ThemeFile>>
    /** Replaces the files of the theme by others, one replacement after the other. */
    readonly replace: (
      files: ReadonlyArray<ThemeFile>,
      by: AccountId,
      at: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("forum/domain/ThemeStore") {}
