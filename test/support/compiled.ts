/** Where the processes of a run keep what Node has compiled, so that each starts in half the processor time. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  export interface ProvidedContext {
    /** Not in every run: code from a cache is compiled less well. */
    compiled: string | undefined
  }
}

export default function setup({ provide }: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), "forum-compiled-"))
  provide("compiled", directory)
  return () => rmSync(directory, { recursive: true, force: true })
}
