import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/postgres.ts", "test/support/declared-answers.ts"],
    // Files share what they import, and each has a database of its own. A process each: names of databases count on it.
    pool: "forks",
    isolate: false,
    // Some tests mostly wait, for servers that start and die.
    maxWorkers: 3,
    // For tests that hang; slow machines are no failure.
    testTimeout: 180_000,
    hookTimeout: 120_000
  }
})
