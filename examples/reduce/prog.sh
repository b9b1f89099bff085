#!/bin/sh
grep -q loop && sleep 100
