package main

import (
	"fmt"
	str "strings"
)

const limit = 10

type Reader struct {
	name  string `json:"name"`
	items []int
	*Base
}

type Counter interface {
	Count(text string) (int, error)
}

var names, other = map[string]int{"a": 1}, [3]float64{1.5}

func (r *Reader) Count(text string) (total int, err error) {
	for index, item := range r.items {
		if item%2 == 0 && !str.HasPrefix(text, "x") {
			continue
		} else if value, ok := names[text]; ok {
			total += value
		} else {
			total -= index
		}
	}
	for i := 0; i < limit; i++ {
		switch i {
		case 1, 2:
			total++
		default:
			break
		}
	}
	defer func(n int) { fmt.Println(n, 'c') }(total)
	done := make(chan bool)
	go work(done)
	select {
	case <-done:
	case done <- true:
		return 0, nil
	}
	var any interface{} = &Reader{name: "b", items: []int{1, -2}}
	switch v := any.(type) {
	case *Reader:
		total = len(v.items[1:])
	}
	return total, err
}

func first[T any](list []T) T { return list[0] }

func main() { fmt.Printf("%d\n", first[int](nil)) }
