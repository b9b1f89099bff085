import React from "react";

type Props = { name: string; items?: number[] };

export const List = ({ name, items = [] }: Props) => {
  const [count, setCount] = React.useState<number>(0);
  if (!items.length) return null;
  return (
    <div className="list" onClick={() => setCount(count + 1)} {...items}>
      <h1>Hello {name}</h1>
      {items.map((item) => <li key={item}>{item * 2}</li>)}
      <hr />
      <></>
    </div>
  );
};
