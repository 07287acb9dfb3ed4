// Shows one of the published components, as the address of the page asks for: its group and name, its properties as JSON, and
// names of features that are not shown without being asked for. What
// the component tells its surroundings is kept for the tests, and so is what the release exports.
// The page waits for what has not come yet: a component without a boundary of its own (the newest PaymentSummary) would begin anew without end.
export function show(sdk, createRoot, { createElement, Suspense }) {
  const { component, props, features = '' } = Object.fromEntries(new URLSearchParams(location.search));
  const [group, name] = component.split('.');
  globalThis.told = [];
  const names = ([key, value]) => [key, value && typeof value === 'object' ? Object.keys(value) : []];
  globalThis.exported = Object.fromEntries(Object.entries(sdk).map(names));
  const onEvent = (event) => globalThis.told.push(event);
  const shown = createElement(sdk[group][name], { ...JSON.parse(props), onEvent });
  const config = { baseUrl: `${location.origin}/api/` };
  const unstableFeatures = Object.fromEntries(features.split(',').map((feature) => [feature, true]));
  const whole = createElement(sdk.GustoProvider, { config, unstableFeatures }, createElement(Suspense, null, shown));
  createRoot(document.getElementById('root')).render(whole);
}
