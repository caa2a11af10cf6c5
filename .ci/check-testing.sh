#!/usr/bin/env bash
# Packs the kit for tests, installs it in an empty folder, and runs the tests there that the documentation and the example bot have.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh

npm run --silent build
mkdir -p "$scratch/empty"
echo "Installing the packed kit in an empty folder"
packed=$(cd dist/service && npm pack --silent --pack-destination "$scratch")
cd "$scratch/empty"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-fund --no-audit "$scratch/$packed"
du -sh node_modules | cut -f1 | sed 's/^/installed: /'
stat -c 'packed: %s bytes' "$scratch/$packed"
shown() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/!p}" "$root/docs/testing.md"; }
shown js >shown.test.js
grep -q 'forum-service/testing' shown.test.js

echo "Running the test that the documentation shows"
node --test shown.test.js

echo "Running the test of the example bot"
packed_client=$(cd "$root/dist/client" && npm pack --silent --pack-destination "$scratch")
npm install --silent --no-fund --no-audit "$scratch/$packed_client"
mkdir bot
cp "$root"/examples/bot/main.ts "$root"/examples/bot/main.test.ts bot
(cd bot && node --test)

echo "Compiling programs against its types"
# The first block; the second one is for a checkout.
shown ts | sed '/^import.*Layer.*from "effect"$/,$d' >shown.ts
grep -q 'forum-service/testing' shown.ts
cat >tsconfig.json <<'TSCONFIG'
{
  "compilerOptions": {
    "target": "ESNext",
    "lib": ["ESNext", "DOM"],
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "skipLibCheck": true,
    "noEmit": true,
    "types": ["node"],
    "typeRoots": ["ROOT/node_modules/@types"]
  },
  "files": ["shown.ts", "bot/main.test.ts"]
}
TSCONFIG
sed -i "s#ROOT#$root#" tsconfig.json
tsc --project tsconfig.json
echo "The kit works"
