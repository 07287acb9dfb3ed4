import { useServer } from './call';

interface Event {
  uuid: string;
  event_type: string;
  timestamp: number;
}

export function Events() {
  const [events] = useServer<Event[]>('/pos/events');
  return (
    <>
      <h1>What the webhooks told</h1>
      <p>Each was signed by the service, and came to this server by itself.</p>
      <ul className="events">
        {events?.map(({ uuid, event_type, timestamp }) => (
          <li key={uuid}><code>{event_type}</code> <time>{new Date(timestamp * 1000).toLocaleTimeString()}</time></li>
        ))}
      </ul>
    </>
  );
}
