import { defineConfig } from "vitest/config"

// Attacks on a service in its own process. They take minutes and both cores, so they are not part of `npm test`.
export default defineConfig({
  test: {
    include: ["test/abuse/**/*.abuse.ts"],
    globalSetup: ["test/support/postgres.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
