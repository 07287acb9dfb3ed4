// The restaurants that use this point of sale, and who works there. A real one has a database; here they live as long as
// the process does.
import { randomBytes } from 'node:crypto';
import type { Token } from './client';

export interface Restaurant {
  name: string;
  /** the owner's e-mail address */
  email: string;
  companyId: string;
  locationId: string;
  token: Token;
  /** the owner's session, as in the cookie */
  session: string;
  /** codes of the addresses that were given to staff, by employee */
  staff: Map<string, string>;
}

const restaurants: Restaurant[] = [];

export const secret = () => randomBytes(24).toString('base64url');

export function add(restaurant: Restaurant): Restaurant {
  restaurants.push(restaurant);
  return restaurant;
}

export const bySession = (session: string | undefined) => restaurants.find((one) => one.session === session);

export const byCompany = (companyId: string) => restaurants.find((one) => one.companyId === companyId);

/** Whoever has this code may see the pages of this employee, and nothing else. */
export function byStaffCode(code: string): { restaurant: Restaurant; employeeId: string } | undefined {
  for (const restaurant of restaurants) {
    for (const [employeeId, held] of restaurant.staff) if (held === code) return { restaurant, employeeId };
  }
  return undefined;
}
