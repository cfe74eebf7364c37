/** A condition of a statement: the client with this id (an expression) is not away (docs/decisions/0065). */
export function isHere(clientId: string): string {
  return `not exists (select from clients away where away.id = ${clientId} and away.away_since_real_at is not null)`;
}
