import { defineConfig } from "vitest/config"
import { beside, globalSetup } from "./vitest.config.ts"

// Makes a file for the tests of migrations. Nothing is tested, and so no answer of the API need be seen.
export default defineConfig({
  test: { ...beside, globalSetup, include: ["test/persistence/dump.make.ts"], testNamePattern: /./ }
})
