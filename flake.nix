{
  description = "A headless forum and knowledge library";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      # The major version of the dependency "node", which is what the tests run on. Node and PostgreSQL come from
      # nixpkgs here, because the programs in npm packages do not run on NixOS.
      node = pkgs: pkgs.nodejs_26;
      postgresql = pkgs: pkgs.postgresql_18;
      manifest = nixpkgs.lib.importJSON ./package.json;
      # The arguments that `npm start` passes to Node.
      arguments = nixpkgs.lib.removePrefix "exec node " manifest.scripts.start;
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.buildNpmPackage {
          pname = "forum-service";
          version = manifest.version;
          src = self;
          nodejs = node pkgs;
          npmDeps = pkgs.importNpmLock { npmRoot = self; };
          npmConfigHook = pkgs.importNpmLock.npmConfigHook;
          npmFlags = [ "--ignore-scripts" "--omit=optional" ];
          dontNpmBuild = true;
          nativeBuildInputs = [ pkgs.makeWrapper ];
          # Outside node_modules, because Node does not run TypeScript there. Optional packages are omitted: what that
          # means for memory is in docs/operating.md.
          installPhase = ''
            runHook preInstall
            mkdir -p $out/share/forum-service
            cp -r package.json src node_modules $out/share/forum-service/
            makeWrapper ${node pkgs}/bin/node $out/bin/forum-service \
              --add-flags "${builtins.replaceStrings [ "src/" ] [ "$out/share/forum-service/src/" ] arguments}"
            runHook postInstall
          '';
        };
      });

      # Starts a PostgreSQL server under $DATA_DIR, unless DATABASE_URL names another one.
      apps = forEach (pkgs: {
        default = {
          type = "app";
          program = toString (
            pkgs.writeShellScript "forum-service" ''
              set -eu
              service=${self.packages.${pkgs.system}.default}/bin/forum-service
              if [ -n "''${DATABASE_URL:-}" ]; then exec "$service"; fi

              export PATH=${
                pkgs.lib.makeBinPath [
                  (postgresql pkgs)
                  pkgs.coreutils
                  pkgs.gnugrep
                ]
              }:$PATH
              data=$(realpath -m "''${DATA_DIR:-./data}")/nix-postgres
              if [ ! -d "$data" ]; then initdb -D "$data" -U forum --encoding=UTF8 --auth=trust >/dev/null; fi
              socket=$(mktemp -d)
              pg_ctl -D "$data" -w -o "-c listen_addresses= -c unix_socket_directories=$socket -c random_page_cost=1.1" start >/dev/null
              trap 'pg_ctl -D "$data" -m fast stop >/dev/null; rm -rf "$socket"' EXIT
              psql -h "$socket" -U forum -d postgres -tc "select 1 from pg_database where datname = 'forum'" | grep -q 1 \
                || createdb -h "$socket" -U forum forum
              export DATABASE_URL="postgres://forum@localhost/forum?host=$socket"

              # The service stops before its database. A signal interrupts `wait`, which is therefore repeated.
              "$service" &
              pid=$!
              trap 'kill -TERM "$pid"' TERM INT HUP
              status=0
              while kill -0 "$pid" 2>/dev/null; do
                status=0
                wait "$pid" || status=$?
              done
              exit "$status"
            ''
          );
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = [
            (node pkgs)
            (postgresql pkgs)
          ];
        };
      });
    };
}
