// What the server is told by its environment. `stipend dev --write-env .env` writes all of it but the port.

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. Start the service with: stipend dev --write-env examples/pos/.env`);
  return value;
}

export const config = {
  /** where stipend answers */
  base: needed('BASE'),
  clientId: needed('CLIENT_ID'),
  clientSecret: needed('CLIENT_SECRET'),
  port: Number(process.env.PORT ?? 3000),
};
